/*
 * launcher: a small process supervisor. The service starts it once and talks to it over one Unix socket (descriptor 3)
 * by framed messages; src/spawn/launcher.ts is the other side.
 *
 *     service ══ frames ══ launcher ── keeper ── shell ── whatever the command starts
 *                              └────── keeper ── shell ── …
 *
 * The launcher starts, reads pipes and passes messages on. Each run has a keeper: a fork of the launcher that is the
 * child subreaper of everything below it. So a run's tree is exact, whatever a process does to its session, group,
 * environment or parents: waitpid() saying ECHILD in the keeper means that nothing of the run is left anywhere.
 * The keeper ends its tree when it is told to, and when the launcher is gone (its socket is at its end). The launcher
 * ends everything when the service is gone. It is a subreaper too: when a command kills its own keeper, what is left
 * comes to the launcher, and a child of the launcher that is no keeper is killed.
 *
 * launcher-box.h, -shell.h, -tree.h and -frames.h are parts of this program that can be read by themselves.
 *
 * One thread. poll and not epoll: it needs no bookkeeping per pipe, and a pipe we closed cannot go on being reported
 * because a just-forked keeper still holds it. Nothing but libc; the kernel's newer structs are declared here, so
 * that it builds with the headers of Debian, musl and Termux alike.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define VERSION 1
#define SERVICE 3
#define HEADER 12                   /* payload length u32, run u32, type u8, three zero bytes; little endian */
#define MAX_FRAME (3u << 20)        /* payload */
#define MAX_RUNS 256
#define MAX_STRINGS 4096
#define PIECE (64u << 10)           /* one stdin frame */
#define CHUNK (PIECE - HEADER)      /* one output frame: with its header one read of Node's */
#define WINDOW (1 << 20)            /* output of one run that the service has not credited yet */
#define OUT_HIGH (1u << 20)         /* with so much unsent, neither pipes nor requests are read */
#define MAX_LISTED 1000             /* pids named in one message */
#define MAX_PROCS (1u << 17)
#define MAX_KNOWN (1u << 14)
#define KILL_MS 2000                /* after SIGKILL a tree is looked for so long */
#define ORPHANED_KILL_MS 10000
#define DEAF_KEEPER_MS 3000         /* a keeper that does not answer for so long is killed (a command may have stopped it) */
#define STARTING_MS 10000           /* so long a start may take */
#define NONE INT64_MIN              /* a limit that is not set */

enum { HELLO = 1, SPAWN, STDIN, STDIN_END, CREDIT, DETACH, SIGNAL, LEFT, END };
enum { READY = 64, STARTED, FAILED, STDOUT, STDERR, TAKEN, EXITED, CLOSED, LEFT_LIST, ENDED, EMPTY };
enum { NOTE_NONE, NOTE_PROCESSES, NOTE_CPU, NOTE_KEEPER };
enum { BOX_NONE, BOX_READ_ONLY, BOX_WORKSPACE };
enum { CPU, ADDRESS_SPACE, PROCESSES, OPEN_FILES, FILE_SIZE, NICE, OOM, LIMITS };

/* What a SPAWN frame asks for. The pointers lead into the frame. */
struct ask {
  uint8_t stdin_pipe, box, network;
  int64_t limit[LIMITS];
  char *cwd, **argv, **envp, **writable, **hidden;
};

/* What launcher and keeper say to each other, one packet each. */
struct word {
  int32_t kind, a, b, n;
  int32_t pids[MAX_LISTED];
};

struct run {
  uint32_t id;
  pid_t keeper;                     /* 0: reaped */
  int fd;                           /* socket to the keeper; -1: the tree is empty, or the keeper was killed */
  int in, out, err;                 /* our ends of the pipes; -1: closed */
  bool floods, started, told_exit, empty, ending, lost;
  int32_t window;                   /* bytes of output that the service still takes */
  uint32_t in_at, in_len;
  char *in_data;                    /* stdin that the pipe did not take yet, at most PIECE; NULL: none */
  int64_t born, answer_by;          /* 0: nothing asked */
};

static struct run runs[MAX_RUNS];
static unsigned run_count;
static uint32_t last_id;
static bool greeted, strangers;
static pid_t own_pid;

static int64_t now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void *more(void *old, size_t size) {
  void *p = realloc(old, size);
  if (!p) {
    fputs("launcher: out of memory\n", stderr);
    _exit(70);
  }
  return p;
}

static void shut(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

#include "launcher-box.h"
#include "launcher-shell.h"
#include "launcher-tree.h"

/* ── the keeper ────────────────────────────────────────────────────────────────────────────────────────────────── */

struct known { pid_t pid; uint64_t start; int signalled; };

static struct keeper {
  int fd;
  pid_t shell;
  bool reaped, told, alone, reply;
  int status, note;
  int phase;                        /* 0, or the signal the tree is being ended with */
  int64_t deadline, next, step, watch;
  struct known known[MAX_KNOWN];
  unsigned known_count;
} k;

static void on_child(int number) { (void)number; }

static void tell(struct word *w) {
  size_t size = offsetof(struct word, pids) + (size_t)w->n * sizeof *w->pids;
  while (send(k.fd, w, size, MSG_NOSIGNAL) < 0 && errno == EINTR) continue;
}

/* Remembers a member; NULL where so many are known that this one is only signalled. */
static struct known *recall(const struct proc *p) {
  unsigned at = (unsigned)p->pid % MAX_KNOWN;
  while (k.known[at].pid && (k.known[at].pid != p->pid || k.known[at].start != p->start)) at = (at + 1) % MAX_KNOWN;
  if (!k.known[at].pid) {
    if (k.known_count >= MAX_KNOWN / 4 * 3) return NULL;
    k.known[at] = (struct known){p->pid, p->start, 0};
    k.known_count++;
  }
  return &k.known[at];
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

static void report_end(bool empty) {
  struct word w = {.kind = ENDED};
  if (!empty) list_members(&w);
  w.a = (int32_t)k.known_count - w.n;
  if (w.a < 0) w.a = 0;
  if (!empty && !k.reaped && w.n < MAX_LISTED) w.pids[w.n++] = k.shell;
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
    else report_end(false);
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

/* Counts the run's processes and CPU time where there is a limit on them. */
static void watch_limits(const struct ask *a) {
  struct word w = {0};
  int count = list_members(&w) + !k.reaped;
  struct rusage past;
  getrusage(RUSAGE_CHILDREN, &past);
  uint64_t ticks = 0, hz = (uint64_t)sysconf(_SC_CLK_TCK);
  for (size_t i = 0; i < proc_count; i++) if (procs[i].member == 1) ticks += procs[i].ticks;
  int64_t ms = (int64_t)(ticks * 1000 / hz) + (past.ru_utime.tv_sec + past.ru_stime.tv_sec) * 1000LL +
               (past.ru_utime.tv_usec + past.ru_stime.tv_usec) / 1000;
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
  if (n >= (ssize_t)offsetof(struct word, pids)) obey(&w);
  else if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
    k.alone = true;
    k.reply = false;
    if (k.phase != SIGKILL) begin(SIGKILL, ORPHANED_KILL_MS);
    else k.deadline = now_ms() + ORPHANED_KILL_MS;
  }
}

static int keeper_timeout(const struct ask *a) {
  int64_t wake = INT64_MAX, now = now_ms();
  if (k.phase) wake = k.next < k.deadline ? k.next : k.deadline;
  else if (!k.note && (a->limit[PROCESSES] != NONE || a->limit[CPU] != NONE)) wake = k.watch;
  if (wake == INT64_MAX) return -1;
  return wake <= now ? 0 : (int)(wake - now);
}

/* A keeper's whole life. */
static void keep(struct ask *a, int fd, const int std[3]) {
  sigset_t none;
  sigemptyset(&none);
  k.fd = fd;
  prctl(PR_SET_NAME, "run-keeper", 0, 0, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  prctl(PR_SET_PDEATHSIG, SIGCONT, 0, 0, 0); /* even a stopped keeper hears that its socket is at its end */
  failed_step = NULL;
  int rules = a->box == BOX_NONE ? -1 : make_rules(a);
  pid_t self = getpid(), shell = -1;
  if (a->box != BOX_NONE && rules < 0) refuse("box");
  else if ((shell = vfork()) == 0) {
    become(a, self, std, rules);
    _exit(127);
  } else if (shell < 0) refuse("fork");
  if (failed_step) {
    struct word w = {.kind = FAILED, .a = failed_errno};
    strncpy((char *)w.pids, failed_step, 60);
    w.n = 16;
    tell(&w);
    if (shell > 0) waitpid(shell, NULL, 0);
    _exit(0);
  }
  k.shell = shell;
  for (int i = 0; i < 3; i++) close(std[i]);
  if (rules >= 0) close(rules);
  tell(&(struct word){.kind = STARTED, .a = shell});
  k.watch = now_ms() + 20;
  for (;;) {
    bool empty = reap();
    if (k.reaped && !k.told && (empty || !k.note || !k.phase)) { /* where a limit was exceeded the whole tree goes first */
      tell(&(struct word){.kind = EXITED, .a = k.status, .b = k.note});
      k.told = true;
    }
    if (empty) {
      tell(&(struct word){.kind = EMPTY});
      report_end(true);
      _exit(0);
    }
    struct pollfd p = {k.alone ? -1 : fd, POLLIN, 0};
    int ms = keeper_timeout(a);
    struct timespec wait = {ms / 1000, ms % 1000 * 1000000L};
    if (ppoll(&p, 1, ms < 0 ? NULL : &wait, &none) > 0 && p.revents) hear();
    if (k.phase) go_on_ending();
    else if (ms >= 0 && !k.note && now_ms() >= k.watch) watch_limits(a);
  }
}

#include "launcher-frames.h"

/* ── the launcher's runs ───────────────────────────────────────────────────────────────────────────────────────── */

static struct run *find_run(uint32_t id) {
  for (unsigned i = 0; i < run_count; i++) if (runs[i].id == id) return &runs[i];
  return NULL;
}

static void stop_stdin(struct run *r) {
  if (r->in_data) answer(r->id, TAKEN, (const int32_t[]){0}, 1);
  free(r->in_data);
  r->in_data = NULL;
  shut(&r->in);
}

static void stop_output(struct run *r, int *fd) {
  if (*fd < 0) return;
  shut(fd);
  if (r->out < 0 && r->err < 0) answer(r->id, CLOSED, NULL, 0);
}

static void tell_keeper(struct run *r, int kind, int a) {
  struct word w = {.kind = kind, .a = a};
  kill(r->keeper, SIGCONT); /* a command may have stopped it */
  send(r->fd, &w, offsetof(struct word, pids), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void tell_empty(struct run *r) {
  if (!r->empty) answer(r->id, EMPTY, NULL, 0);
  r->empty = true;
  stop_stdin(r);
}

static void tell_failed(uint32_t run, int error, const char *step) {
  size_t size = strnlen(step, 60);
  char *p = frame_room(4 + size);
  put32(p, (uint32_t)error);
  memcpy(p + 4, step, size);
  frame_done(run, FAILED, 4 + size);
}

/* Runs whose keeper was killed end when what they left has been killed too. Nobody knows how their shells ended. */
static void tell_lost(void) {
  for (unsigned i = 0; i < run_count && !strangers; i++) {
    struct run *r = &runs[i];
    if (!r->lost || r->keeper) continue;
    r->lost = false;
    if (!r->started) tell_failed(r->id, ECANCELED, "its keeper was killed");
    else if (!r->told_exit) answer(r->id, EXITED, (const int32_t[]){-1, NOTE_KEEPER}, 2);
    tell_empty(r);
    if (r->ending) answer(r->id, ENDED, (const int32_t[]){0}, 1);
  }
}

/* The socket of a keeper is at its end: it has nothing left to keep, or it was killed. */
static void lose_keeper(struct run *r) {
  shut(&r->fd);
  r->lost = !r->empty || r->ending;
  r->answer_by = 0;
}

/* Reads a pipe once, at most `most` bytes; what came, or nothing. */
static int read_pipe(struct run *r, int *fd, uint8_t type, int most) {
  char *p = frame_room(CHUNK);
  ssize_t n = read(*fd, p, most < (int)CHUNK ? (size_t)most : CHUNK);
  if (n == CHUNK && !r->floods) r->floods = true, fcntl(*fd, F_SETPIPE_SZ, 256 << 10); /* fewer turns; as it is where we may not */
  if (n > 0) frame_done(r->id, type, (size_t)n), r->window -= (int32_t)n;
  else if (n == 0 || (errno != EAGAIN && errno != EINTR)) stop_output(r, fd);
  return n > 0 ? (int)n : 0;
}

/* Reads what is in a pipe now, beyond the window if need be: what the shell wrote goes before the news of its exit. */
static void read_rest(struct run *r, int *fd, uint8_t type) {
  int left = 0;
  if (*fd < 0 || ioctl(*fd, FIONREAD, &left) != 0) return;
  for (int n = 1; left > 0 && n > 0; left -= n) n = read_pipe(r, fd, type, left);
}

/* Passes one packet of a keeper on; false when there is none. */
static bool hear_keeper(struct run *r) {
  struct word w;
  ssize_t n = recv(r->fd, &w, sizeof w, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (n < (ssize_t)offsetof(struct word, pids) || w.n != (n - (ssize_t)offsetof(struct word, pids)) / 4) return lose_keeper(r), false;
  int32_t numbers[MAX_LISTED + 1];
  memcpy(numbers + 1, w.pids, (size_t)w.n * sizeof *w.pids);
  if (w.kind == STARTED || w.kind == ENDED || (w.kind == LEFT_LIST && !r->ending)) r->answer_by = 0;
  if (w.kind == LEFT_LIST) answer(r->id, LEFT_LIST, numbers + 1, w.n);
  else if (w.kind == STARTED) answer(r->id, STARTED, &w.a, 1), r->started = true;
  else if (w.kind == EMPTY) tell_empty(r);
  else if (w.kind == EXITED) {
    read_rest(r, &r->out, STDOUT);
    read_rest(r, &r->err, STDERR);
    answer(r->id, EXITED, (const int32_t[]){w.a, w.b}, 2);
    r->told_exit = true;
  } else if (w.kind == ENDED) {
    numbers[0] = w.a;
    r->ending = false;
    answer(r->id, ENDED, numbers, w.n + 1);
  } else if (w.kind == FAILED) {
    tell_failed(r->id, w.a, (char *)w.pids);
    r->empty = r->told_exit = r->started = true;
    shut(&r->in), shut(&r->out), shut(&r->err);
  }
  return true;
}

static void write_stdin(struct run *r) {
  while (r->in_data && r->in_at < r->in_len) {
    ssize_t n = write(r->in, r->in_data + r->in_at, r->in_len - r->in_at);
    if (n > 0) r->in_at += (uint32_t)n;
    else if (errno == EAGAIN) return;
    else if (errno != EINTR) return stop_stdin(r);
  }
  if (!r->in_data) return stop_stdin(r); /* polled without data only for its error: nobody reads */
  free(r->in_data);
  r->in_data = NULL;
  answer(r->id, TAKEN, (const int32_t[]){1}, 1);
}

static bool make_pipe(int ends[2], int ours) {
  return pipe2(ends, O_CLOEXEC) == 0 && fcntl(ends[ours], F_SETFL, O_NONBLOCK) == 0;
}

/* Forks the keeper of a new run. A keeper holds nothing that belongs to another run, or to the service. */
static void start_run(uint32_t id, struct ask *a) {
  int ends[4][2] = {{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
  bool made = run_count < MAX_RUNS && make_pipe(ends[1], 0) && make_pipe(ends[2], 0) &&
              socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends[3]) == 0;
  if (made && a->stdin_pipe) made = make_pipe(ends[0], 1);
  else if (made) made = (ends[0][0] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;
  pid_t keeper = made ? fork() : -1;
  if (keeper == 0) {
    close(SERVICE);
    for (unsigned i = 0; i < run_count; i++) close(runs[i].fd), close(runs[i].in), close(runs[i].out), close(runs[i].err);
    close(ends[0][1]), close(ends[1][0]), close(ends[2][0]), close(ends[3][0]);
    run_count = 0;
    keep(a, ends[3][1], (const int[]){ends[0][0], ends[1][1], ends[2][1]});
  }
  if (keeper < 0) tell_failed(id, run_count < MAX_RUNS ? errno : EAGAIN, "fork");
  shut(&ends[0][0]), shut(&ends[1][1]), shut(&ends[2][1]), shut(&ends[3][1]);
  if (keeper < 0) {
    shut(&ends[0][1]), shut(&ends[1][0]), shut(&ends[2][0]), shut(&ends[3][0]);
    return;
  }
  runs[run_count++] = (struct run){.id = id, .window = WINDOW, .keeper = keeper, .fd = ends[3][0], .in = ends[0][1], .out = ends[1][0],
                                   .err = ends[2][0], .born = now_ms(), .answer_by = now_ms() + 100};
}

/* ── what the service may say. Each of these returns NULL, or what is wrong with the frame. ────────────────────────── */

struct cursor { char *at, *end; };

static bool take_list(struct cursor *c, uint32_t count, uint32_t most, bool absolute, char ***list) {
  if (count > most) return false;
  *list = more(NULL, (count + 1) * sizeof **list);
  (*list)[count] = NULL;
  for (uint32_t i = 0; i < count; i++) {
    if (c->end - c->at < 4) return (*list)[i] = NULL, false;
    size_t size = get32(c->at);
    char *text = c->at + 4;
    if (size < 1 || size > (size_t)(c->end - text) || strnlen(text, size) != size - 1 || (absolute && *text != '/')) {
      return (*list)[i] = NULL, false;
    }
    (*list)[i] = text;
    c->at = text + size;
  }
  return true;
}

static const char *take_spawn(uint32_t id, char *payload, size_t size) {
  struct ask a = {0};
  char **cwd = NULL;
  struct cursor c = {payload + 4 + 8 * LIMITS + 16, payload + size};
  if (size < 4 + 8 * LIMITS + 16) return "spawn: too short";
  if (id <= last_id) return "spawn: a run number that was given out before";
  a.stdin_pipe = (uint8_t)payload[0], a.box = (uint8_t)payload[1], a.network = (uint8_t)payload[2];
  const char *wrong = a.stdin_pipe > 1 || a.box > BOX_WORKSPACE || a.network > 1 || payload[3] ? "spawn: unknown flags" : NULL;
  for (int i = 0; i < LIMITS; i++) {
    a.limit[i] = get64(payload + 4 + 8 * i);
    if (a.limit[i] != NONE && (a.limit[i] < -1000 || (a.limit[i] < 0 && i < NICE))) wrong = "spawn: a limit out of range";
  }
  const char *counts = payload + 4 + 8 * LIMITS;
  bool read = take_list(&c, 1, 1, true, &cwd) && take_list(&c, get32(counts), MAX_STRINGS, false, &a.argv) &&
              take_list(&c, get32(counts + 4), MAX_STRINGS, false, &a.envp) &&
              take_list(&c, get32(counts + 8), 64, true, &a.writable) && take_list(&c, get32(counts + 12), 64, true, &a.hidden);
  if (!read || c.at != c.end || !a.argv[0] || a.argv[0][0] != '/') wrong = wrong ? wrong : "spawn: malformed lists";
  if (!wrong) {
    a.cwd = cwd[0];
    last_id = id;
    start_run(id, &a);
  }
  free(cwd), free(a.argv), free(a.envp), free(a.writable), free(a.hidden);
  return wrong;
}

static const char *take_stdin(struct run *r, const char *payload, size_t size) {
  if (size < 1 || size > PIECE) return "stdin: a piece of the wrong size";
  if (r->in_data) return "stdin: more before the last piece was taken";
  if (r->in < 0) return answer(r->id, TAKEN, (const int32_t[]){0}, 1), NULL;
  memcpy(r->in_data = more(NULL, size), payload, size);
  r->in_at = 0;
  r->in_len = (uint32_t)size;
  write_stdin(r);
  return NULL;
}

/* Requests about a run that has ended are answered as such: the service may not know yet. */
static const char *take_frame(uint32_t id, uint8_t type, char *payload, size_t size) {
  if (type == HELLO) {
    if (greeted || id || size != 4 || get32(payload) != VERSION) return "hello: not this version's";
    greeted = true;
    answer(0, READY, (const int32_t[]){VERSION, landlock_abi, has_seccomp, own_pid}, 4);
    return NULL;
  }
  if (!greeted) return "no hello";
  if (type == SPAWN) return take_spawn(id, payload, size);
  if (id == 0 || id > last_id) return "a run that was never started";
  struct run *r = find_run(id);
  bool kept = r && r->fd >= 0 && !r->empty;
  if (type == STDIN && r) return take_stdin(r, payload, size);
  if (type == STDIN) return answer(id, TAKEN, (const int32_t[]){0}, 1), NULL;
  if (size != (type == SIGNAL || type == END || type == CREDIT ? 4 : 0)) return "a payload of the wrong size";
  int32_t number = size ? (int32_t)get32(payload) : 0;
  switch (type) {
    case STDIN_END: if (r) stop_stdin(r); break;
    case CREDIT:
      if (number < 1 || (r && number > WINDOW - r->window)) return "credit: more than was sent";
      if (r) r->window += number;
      break;
    case DETACH: if (r) stop_stdin(r), stop_output(r, &r->out), stop_output(r, &r->err); break;
    case SIGNAL:
      if (number < 1 || number > 64) return "signal: no such number";
      if (kept) tell_keeper(r, SIGNAL, number);
      break;
    case LEFT:
    case END:
      if (number < 0) return "end: a grace below zero";
      if (kept) tell_keeper(r, type, number);
      else if (!r || !r->lost) answer(id, type == END ? ENDED : LEFT_LIST, (const int32_t[]){0}, type == END);
      if (r) r->ending |= type == END && (kept || r->lost);
      if (!kept) break;
      r->answer_by = now_ms() + number + KILL_MS + DEAF_KEEPER_MS;
      break;
    default: return "an unknown type";
  }
  return NULL;
}

/* Takes every whole frame that has come; NULL, or what is wrong with one. */
static const char *take_frames(void) {
  size_t at = 0;
  const char *wrong = NULL;
  while (!wrong && in.len - at >= HEADER) {
    char *p = in.data + at;
    size_t size = get32(p);
    if (size > MAX_FRAME || p[9] || p[10] || p[11]) return "a malformed header";
    if (in.len - at < HEADER + size) break;
    wrong = take_frame(get32(p + 4), (uint8_t)p[8], p + HEADER, size);
    at += HEADER + size;
  }
  memmove(in.data, in.data + at, in.len -= at);
  return wrong;
}

/* ── the loop ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static volatile sig_atomic_t owner_gone;

static void on_owner_gone(int number) {
  (void)number;
  owner_gone = 1;
}

/* Reads from the service; false at its end. */
static bool read_service(void) {
  size_t want = in.len >= HEADER && get32(in.data) <= MAX_FRAME ? HEADER + get32(in.data) : 0;
  if (want < in.len + PIECE) want = in.len + PIECE;
  if (want > in.room || (in.room > 4 * PIECE && want <= 2 * PIECE)) in.data = more(in.data, in.room = want);
  ssize_t n = recv(SERVICE, in.data + in.len, in.room - in.len, MSG_DONTWAIT);
  if (n > 0) in.len += (size_t)n;
  return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static void reap_keepers(void) {
  int status;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    for (unsigned i = 0; i < run_count; i++) {
      if (runs[i].keeper != pid) continue;
      runs[i].keeper = 0;
      strangers |= status != 0; /* killed: only now is what it kept ours */
    }
  }
}

/* Kills what came to us because a keeper was killed. */
static void kill_strangers(void) {
  strangers = false;
  if (!look()) return;
  for (size_t i = 0; i < proc_count; i++) {
    if (procs[i].member != 1 || !procs[i].alive) continue;
    signal_proc(&procs[i], SIGKILL);
    strangers = true;
  }
}

static void drop_ended(void) {
  for (unsigned i = run_count; i-- > 0;) {
    struct run *r = &runs[i];
    if (r->keeper || r->lost || r->fd >= 0 || r->out >= 0 || r->err >= 0) continue;
    stop_stdin(r);
    *r = runs[--run_count];
  }
}

static void wake_deaf_keepers(void) {
  int64_t now = now_ms();
  for (unsigned i = 0; i < run_count; i++) {
    struct run *r = &runs[i];
    if (!r->answer_by || now < r->answer_by) continue;
    bool starting = !r->started && now - r->born < STARTING_MS;
    if (r->keeper) kill(r->keeper, starting ? SIGCONT : SIGKILL);
    r->answer_by = starting ? now + 100 : 0;
  }
}

/* The service is gone, or talks nonsense: every keeper ends its tree when its socket closes. Waits for them, and for what they lost. */
static void end_everything(void) {
  int64_t deadline = now_ms() + ORPHANED_KILL_MS;
  for (unsigned i = 0; i < run_count; i++) {
    struct run *r = &runs[i];
    if (r->keeper) kill(r->keeper, SIGCONT);
    shut(&r->fd), shut(&r->in), shut(&r->out), shut(&r->err);
  }
  while (now_ms() < deadline) {
    reap_keepers();
    if (waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD) return;
    kill_strangers();
    poll(NULL, 0, 2);
  }
}

static int wait_ms(void) {
  int64_t wake = strangers ? now_ms() + 10 : INT64_MAX;
  for (unsigned i = 0; i < run_count; i++) if (runs[i].answer_by && runs[i].answer_by < wake) wake = runs[i].answer_by;
  int64_t ms = wake - now_ms();
  return wake == INT64_MAX ? -1 : ms < 0 ? 0 : ms > 60000 ? 60000 : (int)ms;
}

/* One turn: waits, then serves every descriptor that is ready once, so that no run starves another. */
static const char *turn(void) {
  static struct pollfd polled[1 + MAX_RUNS * 4];
  static sigset_t none;
  bool full = out.len - out.at > OUT_HIGH;
  unsigned count = run_count, first = count ? (unsigned)(now_ms() % count) : 0;
  polled[0] = (struct pollfd){SERVICE, (short)((full ? 0 : POLLIN) | (out.at < out.len ? POLLOUT : 0)), 0};
  for (unsigned i = 0; i < count; i++) {
    struct run *r = &runs[i];
    struct pollfd *p = &polled[1 + 4 * i];
    p[0] = (struct pollfd){r->fd, POLLIN, 0};
    p[1] = (struct pollfd){r->in, (short)(r->in_data ? POLLOUT : 0), 0};
    p[2] = (struct pollfd){full || r->window <= 0 ? -1 : r->out, POLLIN, 0};
    p[3] = (struct pollfd){full || r->window <= 0 ? -1 : r->err, POLLIN, 0};
  }
  int ms = wait_ms();
  struct timespec wait = {ms / 1000, ms % 1000 * 1000000L};
  int ready = ppoll(polled, 1 + 4 * count, ms < 0 ? NULL : &wait, &none);
  if (ready < 0) for (unsigned i = 0; i < 1 + 4 * count; i++) polled[i].revents = 0;
  for (unsigned j = 0; j < count; j++) {
    unsigned i = (first + j) % count;
    struct run *r = &runs[i];
    struct pollfd *p = &polled[1 + 4 * i];
    if (p[2].revents && r->window > 0 && out.len - out.at <= OUT_HIGH) read_pipe(r, &r->out, STDOUT, r->window);
    if (p[3].revents && r->window > 0 && out.len - out.at <= OUT_HIGH) read_pipe(r, &r->err, STDERR, r->window);
    if (p[0].revents) while (r->fd >= 0 && hear_keeper(r)) continue;
    if (p[1].revents && r->in >= 0) write_stdin(r);
  }
  if (polled[0].revents & (POLLIN | POLLHUP | POLLERR)) {
    if (!read_service()) owner_gone = 1;
    const char *wrong = take_frames();
    if (wrong) return wrong;
  }
  reap_keepers();
  if (strangers) kill_strangers();
  tell_lost();
  drop_ended();
  wake_deaf_keepers();
  send_out();
  return NULL;
}

/* Whoever started the service may have left it descriptors open: none of them may reach a command. */
static void close_on_exec(void) {
  DIR *dir = opendir("/proc/self/fd");
  for (int fd = 3; !dir && fd < 4096; fd++) fcntl(fd, F_SETFD, FD_CLOEXEC);
  for (struct dirent *e; dir && (e = readdir(dir));) if (atoi(e->d_name) >= 3) fcntl(atoi(e->d_name), F_SETFD, FD_CLOEXEC);
  if (dir) closedir(dir);
}

static void set_up(bool boxes) {
  struct sigaction act = {.sa_handler = on_child};
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGCHLD);
  sigaddset(&blocked, SIGUSR2);
  sigprocmask(SIG_SETMASK, &blocked, NULL);
  sigaction(SIGCHLD, &act, NULL);
  act.sa_handler = on_owner_gone;
  sigaction(SIGUSR2, &act, NULL);
  act.sa_handler = SIG_IGN; /* a terminal's or a supervisor's: the service decides */
  for (const int *s = (const int[]){SIGPIPE, SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU, 0}; *s; s++) sigaction(*s, &act, NULL);
  setpgid(0, 0); /* not a session: the scheduler counts us with the service */
  prctl(PR_SET_PDEATHSIG, SIGUSR2, 0, 0, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* no command may trace us */
  close_on_exec();
  own_pid = getpid();
  if (boxes) probe_boxes();
}

int main(int argc, char **argv) {
  struct stat st;
  for (int fd; (fd = open("/dev/null", O_RDWR)) >= 0 && fd < 3;) continue;
  if (fstat(SERVICE, &st) != 0 || !S_ISSOCK(st.st_mode)) {
    fputs("launcher: part of shellphone, which starts it by itself\n", stderr);
    return 64;
  }
  set_up(!(argc > 1 && strcmp(argv[1], "--no-boxes") == 0));
  const char *wrong = NULL;
  while (!wrong && !owner_gone) wrong = turn();
  end_everything();
  if (wrong) fprintf(stderr, "launcher: protocol error: %s\n", wrong);
  return wrong ? 65 : 0;
}
