/*
 * reaper: keeps a run. It is forked once, then keeps one run after another: forking for each would cost as much
 * as starting the shell does. What it is asked for lies in memory that it shares with the launcher; the descriptors come
 * with the word that says so.
 */
#include "reaper.h"
#include "box.h"
#include "shell.h"
#include "tree.h"
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_KNOWN (1u << 14)
#define ORPHANED_KILL_MS 10000

struct known { pid_t pid; uint64_t start; int signalled; };

static struct reaper {
  int fd;
  volatile char *mailbox;              /* shared with the launcher: the payload of the run's SPAWN frame, and that we took it */
  pid_t shell;
  bool reaped, told, alone, reply;
  int status, note;
  int phase;                        /* 0, or the signal the tree is being ended with */
  int64_t deadline, next, step, watch, past_ms;
} k;
static struct known known[MAX_KNOWN];
static unsigned known_count;

void on_child(int number) { (void)number; }

static void tell(struct word *w) {
  size_t size = WORD_HEAD + (size_t)w->n * sizeof *w->pids;
  while (send(k.fd, w, size, MSG_NOSIGNAL) < 0 && errno == EINTR) continue;
}

/* Remembers a member; NULL where so many are known that this one is only signalled. */
static struct known *recall(const struct proc *p) {
  unsigned at = (unsigned)p->pid % MAX_KNOWN;
  while (known[at].pid && (known[at].pid != p->pid || known[at].start != p->start)) at = (at + 1) % MAX_KNOWN;
  if (!known[at].pid) {
    if (known_count >= MAX_KNOWN / 4 * 3) return NULL;
    known[at] = (struct known){p->pid, p->start, 0};
    known_count++;
  }
  return &known[at];
}

/* The living members beside the shell, listed. */
static int list_members(struct word *w) {
  int count = 0;
  look();
  for (size_t i = 0; i < proc_count; i++) {
    if (procs[i].member != 1 || !procs[i].alive || procs[i].pid == k.shell) continue;
    if (w->n < MAX_LISTED) w->pids[w->n++] = procs[i].pid;
    count++;
  }
  return count;
}

/* Signals once every member that is there now: the shell's group as a whole, the others one by one. True when some were new. */
static bool sweep(int number, bool first) {
  bool fresh = false;
  look(); /* before the first signal, which breaks parent links */
  bool grouped = first && !k.reaped && kill(-k.shell, number) == 0;
  for (size_t i = 0; i < proc_count; i++) {
    struct proc *p = &procs[i];
    if (p->member != 1 || !p->alive) continue;
    bool is_shell = p->pid == k.shell && !k.reaped;
    struct known *old = is_shell ? NULL : recall(p);
    bool by_group = grouped && p->group == k.shell;
    /* who was meant by the group's signal may have left the group (setsid) before it came */
    if (old && (old->signalled == number || (old->signalled == -number && p->group == k.shell))) continue;
    if (old) old->signalled = by_group ? -number : number;
    fresh |= !is_shell;
    if (is_shell && !(first && !grouped)) continue;
    if (!by_group) signal_proc(p, number);
  }
  return fresh;
}

static void begin(int number, int64_t ms) {
  k.phase = number;
  k.deadline = now_ms() + ms;
  k.step = 1;
  sweep(number, true);
  k.next = now_ms() + k.step;
}

static void report_end(int last) {
  struct word w = {.kind = ENDED, .last = last};
  if (!last) list_members(&w);
  w.a = (int32_t)known_count - w.n;
  if (w.a < 0) w.a = 0;
  if (!last && !k.reaped && w.n < MAX_LISTED) w.pids[w.n++] = k.shell;
  if (k.reply) tell(&w);
  k.reply = false;
  k.phase = 0;
}

/* One step of ending the tree: SIGTERM, at the deadline SIGKILL, each time for those born meanwhile too. */
static void go_on_ending(void) {
  int64_t now = now_ms();
  if (now >= k.deadline) {
    if (k.phase == SIGTERM) begin(SIGKILL, KILL_MS);
    else if (k.alone) _exit(1);
    else report_end(0);
    return;
  }
  if (now < k.next) return;
  k.step = sweep(k.phase, false) ? 1 : k.step * 2 > 50 ? 50 : k.step * 2;
  k.next = now_ms() + k.step;
}

/* Reaps what ended; true when nothing of the run is left. */
static bool reap(void) {
  int status;
  for (;;) {
    pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid < 0 && errno == EINTR) continue;
    if (pid <= 0) return pid < 0;
    if (pid == k.shell && !k.reaped) k.reaped = true, k.status = status;
  }
}

/* What the children took that were waited for, of all runs until now. */
static int64_t past_ms(void) {
  struct rusage past;
  getrusage(RUSAGE_CHILDREN, &past);
  return (past.ru_utime.tv_sec + past.ru_stime.tv_sec) * 1000LL + (past.ru_utime.tv_usec + past.ru_stime.tv_usec) / 1000;
}

/* Counts the run's processes and CPU time where there is a limit on them. */
static void watch_limits(const struct request *a) {
  struct word w = {0};
  int count = list_members(&w) + !k.reaped;
  uint64_t ticks = 0, hz = (uint64_t)sysconf(_SC_CLK_TCK);
  for (size_t i = 0; i < proc_count; i++) if (procs[i].member == 1) ticks += procs[i].ticks;
  int64_t ms = (int64_t)(ticks * 1000 / hz) + past_ms() - k.past_ms;
  if (a->limit[PROCESSES] != NONE && count > a->limit[PROCESSES]) k.note = NOTE_PROCESSES;
  else if (a->limit[CPU] != NONE && ms / 1000.0 > a->limit[CPU] + 0.2) k.note = NOTE_CPU; /* one process alone: the kernel is first */
  if (k.note) begin(SIGKILL, KILL_MS);
  k.watch = now_ms() + 100;
}

static void obey(const struct word *w) {
  struct word answer = {.kind = LEFT_LIST};
  if (w->kind == SIGNAL) {
    if (!k.reaped) kill(-k.shell, w->a);
    else if (look()) for (size_t i = 0; i < proc_count; i++) if (procs[i].member == 1) signal_proc(&procs[i], w->a);
  } else if (w->kind == LEFT) {
    if (list_members(&answer) == 0) list_members(&answer); /* one may have changed its parent while we looked */
    tell(&answer);
  } else if (w->kind == END) {
    k.reply = true;
    if (w->a == 0 && k.phase != SIGKILL) begin(SIGKILL, KILL_MS);
    else if (k.phase == 0) begin(SIGTERM, w->a);
    else if (k.phase == SIGTERM && now_ms() + w->a < k.deadline) k.deadline = now_ms() + w->a;
  }
}

/* Reads what the launcher says; at its end the tree is ended and so are we. */
static void hear(void) {
  struct word w;
  ssize_t n = recv(k.fd, &w, sizeof w, MSG_DONTWAIT);
  if (n >= (ssize_t)WORD_HEAD) obey(&w);
  else if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
    k.alone = true;
    k.reply = false;
    if (k.phase != SIGKILL) begin(SIGKILL, ORPHANED_KILL_MS);
    else k.deadline = now_ms() + ORPHANED_KILL_MS;
  }
}

static int reaper_timeout(const struct request *a) {
  int64_t wake = INT64_MAX, now = now_ms();
  if (k.phase) wake = k.next < k.deadline ? k.next : k.deadline;
  else if (!k.note && (a->limit[PROCESSES] != NONE || a->limit[CPU] != NONE)) wake = k.watch;
  if (wake == INT64_MAX) return -1;
  return wake <= now ? 0 : (int)(wake - now);
}

/* Starts the shell; false, with the reason told, where a step failed. */
static bool start_shell(struct request *a, const int std[3]) {
  failed_step = NULL;
  int rules = a->box == BOX_NONE ? -1 : make_rules(a);
  pid_t self = getpid(), shell = -1;
  if (a->box != BOX_NONE && rules < 0) refuse("box");
  else if ((shell = vfork()) == 0) {
    become(a, self, std, rules);
    _exit(127);
  } else if (shell < 0) refuse("fork");
  for (int i = 0; i < 3; i++) close(std[i]);
  if (rules >= 0) close(rules);
  k.shell = shell;
  if (!failed_step) return true;
  struct word w = {.kind = FAILED, .a = failed_errno, .last = LEAVES, .n = 16};
  strncpy((char *)w.pids, failed_step, 60);
  if (shell > 0) waitpid(shell, NULL, 0);
  tell(&w);
  return false;
}

/* Commands may lower a reaper's limits and its priority (prlimit, renice): the next run shall not have those. */
static bool is_untouched(bool look_first) {
  static struct rlimit made[RLIM_NLIMITS];
  static int nice;
  struct rlimit now;
  if (look_first) nice = getpriority(PRIO_PROCESS, 0);
  for (int i = 0; i < RLIM_NLIMITS; i++) {
    if (getrlimit(i, look_first ? &made[i] : &now) != 0) return false;
    if (!look_first && (now.rlim_cur != made[i].rlim_cur || now.rlim_max != made[i].rlim_max)) return false;
  }
  return nice == getpriority(PRIO_PROCESS, 0);
}

/* From the start of the shell until nothing of the run is left. */
static void keep_run(const struct request *a) {
  sigset_t none;
  sigemptyset(&none);
  tell(&(struct word){.kind = STARTED, .a = k.shell});
  k.watch = now_ms() + 20;
  k.past_ms = a->limit[CPU] == NONE ? 0 : past_ms();
  for (;;) {
    bool empty = reap();
    int last = !empty ? 0 : is_untouched(false) ? FREE : LEAVES;
    bool exited = k.reaped && !k.told && (empty || !k.note || !k.phase); /* where a limit was exceeded the whole tree goes first */
    if (exited) tell(&(struct word){.kind = EXITED, .a = k.status, .b = k.note, .last = k.reply ? 0 : last}), k.told = true;
    if (empty && k.reply) report_end(last);
    else if (empty && !exited) tell(&(struct word){.kind = EMPTY, .last = last});
    if (empty && last == LEAVES) _exit(0);
    if (empty) return;
    struct pollfd p = {k.alone ? -1 : k.fd, POLLIN, 0};
    int ms = reaper_timeout(a);
    struct timespec wait = {ms / 1000, ms % 1000 * 1000000L};
    if (ppoll(&p, 1, ms < 0 ? NULL : &wait, &none) > 0 && p.revents) hear();
    if (k.phase) go_on_ending();
    else if (ms >= 0 && !k.note && now_ms() >= k.watch) watch_limits(a);
  }
}

/* Waits for the next run and its three descriptors; leaves when the launcher has no more. What was meant for the last run is too late. */
static size_t await_run(int std[3]) {
  for (;;) {
    char space[CMSG_SPACE(3 * sizeof(int))];
    struct word w;
    struct iovec part = {&w, sizeof w};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
    ssize_t n = recvmsg(k.fd, &message, MSG_CMSG_CLOEXEC);
    if (n < 0 && errno == EINTR) continue;
    if (n < (ssize_t)WORD_HEAD) _exit(0);
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    if (w.kind != SPAWN || !c || c->cmsg_len != CMSG_LEN(3 * sizeof(int))) continue;
    memcpy(std, CMSG_DATA(c), 3 * sizeof(int));
    return (size_t)w.a;
  }
}

/* A reaper's whole life. */
void keep(int fd, volatile char *mailbox) {
  prctl(PR_SET_NAME, "run-reaper", 0, 0, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  prctl(PR_SET_PDEATHSIG, SIGCONT, 0, 0, 0); /* even a stopped reaper hears that its socket is at its end */
  is_untouched(true);
  for (;;) {
    struct request a;
    int std[3];
    k = (struct reaper){.fd = fd, .mailbox = mailbox};
    if (known_count) memset(known, 0, sizeof known), known_count = 0;
    size_t size = await_run(std);
    mailbox[MAX_FRAME] = 1; /* from now on the run is not started again by another */
    if (read_request((const char *)mailbox, size, &a)) _exit(70); /* the launcher has read it too */
    if (!start_shell(&a, std)) _exit(0);
    keep_run(&a);
    free_request(&a);
  }
}
