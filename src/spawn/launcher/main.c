/*
 * launcher: a small process supervisor. The service starts it once and talks to it over one Unix socket (descriptor 3)
 * by framed messages; src/spawn/launcher.ts is the other side.
 *
 *     service ══ frames ══ launcher ── reaper ── shell ── whatever the command starts
 *                              └────── reaper ── shell ── …
 *
 * The launcher starts, reads pipes and passes messages on. Each run has a reaper to itself: a fork of the launcher that is
 * the child subreaper of everything below it, and keeps another run when this one is over. So a run's tree is exact, whatever a process does to its session, group,
 * environment or parents: waitpid() saying ECHILD in the reaper means that nothing of the run is left anywhere.
 * The reaper ends its tree when it is told to, and when the launcher is gone (its socket is at its end). The launcher
 * ends everything when the service is gone. It is a subreaper too: when a command kills its own reaper, what is left
 * comes to the launcher, and a child of the launcher that is no reaper is killed.
 *
 * request, box, shell, tree, reaper and frames are parts of this program that can be read by themselves.
 *
 * One thread. poll and not epoll: it needs no bookkeeping per pipe, and a pipe we closed cannot go on being reported
 * because a just-forked reaper still holds it. Nothing but libc; the kernel's newer structs are declared here, so
 * that it builds with the headers of Debian, musl and Termux alike.
 */
#include "box.h"
#include "frames.h"
#include "reaper.h"
#include "request.h"
#include "tree.h"
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_RUNS 256
#define MAX_IDLE 16                 /* reapers that wait for a run … */
#define IDLE_MS 1000                /* … and so long: Android counts processes */
#define PIECE (64u << 10)           /* one stdin frame */
#define CHUNK (PIECE - HEADER)      /* one output frame: with its header one read of Node's */
#define WINDOW (1 << 20)            /* output of one run that the service has not credited yet */
#define DEAF_REAPER_MS 3000         /* a reaper that does not answer for so long is killed (a command may have stopped it) */
#define STARTING_MS 10000           /* so long a start may take */
#define ORPHANED_KILL_MS 10000

/* A reaper, seen from the launcher. */
struct slot {
  pid_t pid;                        /* 0: it was reaped, or keeps another run by now */
  int fd;                           /* socket to it; -1: the tree is empty, or the reaper was killed */
  volatile char *mailbox;           /* memory shared with it, MAILBOX bytes; NULL: given back */
  int64_t since;                    /* it became idle; 0: it has kept no run yet */
};

struct run {
  uint32_t id;
  struct slot reaper;
  int in, out, err;                 /* our ends of the pipes; -1: closed */
  bool stdin_pipe, floods, started, told_exit, empty, ending, lost;
  int32_t window;                   /* bytes of output that the service still takes */
  uint32_t in_at, in_len, request_len;
  char *in_data;                    /* stdin that the pipe did not take yet, at most PIECE; NULL: none */
  int64_t born, answer_by;          /* 0: nothing asked */
};

static struct run runs[MAX_RUNS];
static unsigned run_count;
static struct slot idle[MAX_IDLE];  /* the one that has waited longest first */
static unsigned idle_count;
static uint32_t last_id;
static bool greeted, strangers;
static pid_t own_pid;


bool is_reaper(pid_t pid) {
  for (unsigned i = 0; i < run_count; i++) if (runs[i].reaper.pid == pid) return true;
  for (unsigned i = 0; i < idle_count; i++) if (idle[i].pid == pid) return true;
  return false;
}

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

static void tell_reaper(struct run *r, int kind, int a) {
  struct word w = {.kind = kind, .a = a};
  if (r->reaper.pid) kill(r->reaper.pid, SIGCONT); /* a command may have stopped it */
  send(r->reaper.fd, &w, WORD_HEAD, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Lets a reaper go: it leaves when it hears that its socket is at its end, and its process is reaped then. */
static void dismiss(struct slot *reaper) {
  shut(&reaper->fd);
  if (reaper->pid > 0) kill(reaper->pid, SIGCONT); /* a command may have stopped it */
  if (reaper->mailbox) munmap((void *)reaper->mailbox, MAILBOX);
  reaper->mailbox = NULL;
}

/* The run is over: its reaper waits for the next one, if it lives and not too many do. */
static void release(struct run *r, bool stays) {
  if (stays && r->reaper.pid && idle_count < MAX_IDLE) {
    idle[idle_count] = r->reaper;
    idle[idle_count++].since = now_ms();
  } else dismiss(&r->reaper);
  r->reaper = (struct slot){.fd = -1};
  r->answer_by = 0;
}

static void drop_idle(unsigned at) {
  dismiss(&idle[at]);
  idle_count--;
  memmove(idle + at, idle + at + 1, (idle_count - at) * sizeof *idle);
}

/* Lets go of all that a run has, and tells nobody. */
static void drop_run(struct run *r) {
  dismiss(&r->reaper), shut(&r->in), shut(&r->out), shut(&r->err);
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

/* Runs whose reaper was killed end when what they left has been killed too. Nobody knows how their shells ended. */
static void tell_lost(void) {
  for (unsigned i = 0; i < run_count && !strangers; i++) {
    struct run *r = &runs[i];
    if (!r->lost || r->reaper.pid) continue;
    r->lost = false;
    if (!r->started) tell_failed(r->id, ECANCELED, "its reaper was killed");
    else if (!r->told_exit) answer(r->id, EXITED, (const int32_t[]){-1, NOTE_REAPER}, 2);
    tell_empty(r);
    if (r->ending) answer(r->id, ENDED, (const int32_t[]){0}, 1);
  }
}

static void start_run(uint32_t id, bool stdin_pipe, const char *payload, size_t size);

/* An idle reaper was killed before it took the run: nothing has started, so another one takes it. */
static void start_again(struct run *r) {
  struct run old = *r;
  char *payload = more(NULL, old.request_len);
  memcpy(payload, (const char *)old.reaper.mailbox, old.request_len);
  drop_run(r);
  r->id = 0; /* nobody's, until its reaper is reaped */
  r->empty = true;
  r->answer_by = 0;
  start_run(old.id, old.stdin_pipe, payload, old.request_len);
  free(payload);
}

/* The socket of a reaper is at its end: it has nothing left to keep, or it was killed. */
static void lose_reaper(struct run *r) {
  if (!r->started && r->reaper.since && !r->reaper.mailbox[MAX_FRAME]) return start_again(r);
  dismiss(&r->reaper);
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

/* Passes one packet of a reaper on; false when there is none. */
static bool hear_reaper(struct run *r) {
  struct word w;
  ssize_t n = recv(r->reaper.fd, &w, sizeof w, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (n < (ssize_t)WORD_HEAD || w.n != (n - (ssize_t)WORD_HEAD) / 4) return lose_reaper(r), false;
  int32_t numbers[MAX_LISTED + 1];
  memcpy(numbers + 1, w.pids, (size_t)w.n * sizeof *w.pids);
  if (w.kind == STARTED || w.kind == ENDED || (w.kind == LEFT_LIST && !r->ending)) r->answer_by = 0;
  if (w.kind == LEFT_LIST) answer(r->id, LEFT_LIST, numbers + 1, w.n);
  else if (w.kind == STARTED) answer(r->id, STARTED, &w.a, 1), r->started = true;
  else if (w.kind == EXITED) {
    read_rest(r, &r->out, STDOUT);
    read_rest(r, &r->err, STDERR);
    answer(r->id, EXITED, (const int32_t[]){w.a, w.b}, 2);
    r->told_exit = true;
  } else if (w.kind == FAILED) {
    tell_failed(r->id, w.a, (char *)w.pids);
    r->empty = r->told_exit = r->started = true;
    shut(&r->in), shut(&r->out), shut(&r->err);
  }
  if (w.last) tell_empty(r);
  if (w.kind == ENDED || (w.last && r->ending)) { /* its last word may have crossed our request to end */
    numbers[0] = w.kind == ENDED ? w.a : 0;
    r->ending = false;
    answer(r->id, ENDED, numbers, w.kind == ENDED ? w.n + 1 : 1);
  }
  if (w.last) release(r, w.last == FREE);
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

/* Forks a reaper. It holds nothing that belongs to a run or another reaper, or to the service. */
static bool fork_reaper(struct slot *reaper) {
  int ends[2];
  *reaper = (struct slot){.fd = -1};
  char *mailbox = mmap(NULL, MAILBOX, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (mailbox == MAP_FAILED) return false;
  reaper->mailbox = mailbox;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return dismiss(reaper), false;
  reaper->pid = fork();
  if (reaper->pid == 0) {
    close(SERVICE), close(ends[0]);
    for (unsigned i = 0; i < run_count; i++) close(runs[i].reaper.fd), close(runs[i].in), close(runs[i].out), close(runs[i].err);
    for (unsigned i = 0; i < idle_count; i++) close(idle[i].fd);
    run_count = idle_count = 0;
    keep(ends[1], mailbox);
  }
  close(ends[1]);
  reaper->fd = ends[0];
  madvise(mailbox, MAILBOX, MADV_DONTFORK);
  if (reaper->pid < 0) dismiss(reaper);
  return reaper->pid > 0;
}

/* Hands a run to a reaper: the payload in the memory they share, its descriptors in a packet. False: the reaper is gone. */
static bool hand_over(struct slot *reaper, const char *payload, size_t size, const int std[3]) {
  char space[CMSG_SPACE(3 * sizeof(int))] = {0};
  struct word w = {.kind = SPAWN, .a = (int32_t)size};
  struct iovec part = {&w, WORD_HEAD};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
  struct cmsghdr *c = CMSG_FIRSTHDR(&message);
  *c = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(3 * sizeof(int))};
  memcpy(CMSG_DATA(c), std, 3 * sizeof(int));
  memcpy((char *)reaper->mailbox, payload, size);
  reaper->mailbox[MAX_FRAME] = 0;
  return sendmsg(reaper->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

/* Starts a run with a reaper; false, and the reaper is dismissed, where there are no pipes to be had or somebody killed it. */
static bool start_with(struct slot reaper, struct run r, const char *payload) {
  int ends[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
  bool made = make_pipe(ends[1], 0) && make_pipe(ends[2], 0);
  if (made && r.stdin_pipe) made = make_pipe(ends[0], 1);
  else if (made) made = (ends[0][0] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;
  made = made && hand_over(&reaper, payload, r.request_len, (const int[]){ends[0][0], ends[1][1], ends[2][1]});
  int error = errno;
  r.reaper = reaper, r.in = ends[0][1], r.out = ends[1][0], r.err = ends[2][0];
  shut(&ends[0][0]), shut(&ends[1][1]), shut(&ends[2][1]);
  if (made) runs[run_count++] = r;
  else drop_run(&r);
  return errno = error, made;
}

/* By the reaper that became idle last, or by a new one, which must be forked before there are pipes that it would hold open. */
static void start_run(uint32_t id, bool stdin_pipe, const char *payload, size_t size) {
  struct run r = {.id = id, .stdin_pipe = stdin_pipe, .request_len = (uint32_t)size, .window = WINDOW, .born = now_ms(), .answer_by = now_ms() + 100};
  struct slot fresh;
  if (run_count == MAX_RUNS) return tell_failed(id, EAGAIN, "fork");
  while (idle_count) if (start_with(idle[--idle_count], r, payload)) return;
  if (!fork_reaper(&fresh) || !start_with(fresh, r, payload)) tell_failed(id, errno, "fork");
}

/* ── what the service may say. Each of these returns NULL, or what is wrong with the frame. ────────────────────────── */

static const char *take_spawn(uint32_t id, const char *payload, size_t size) {
  struct request a;
  if (id <= last_id) return "spawn: a run number that was given out before";
  const char *wrong = read_request(payload, size, &a);
  if (!wrong) {
    last_id = id;
    start_run(id, a.stdin_pipe, payload, size);
  }
  free_request(&a);
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
  bool kept = r && r->reaper.fd >= 0 && !r->empty;
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
      if (kept) tell_reaper(r, SIGNAL, number);
      break;
    case LEFT:
    case END:
      if (number < 0) return "end: a grace below zero";
      if (kept) tell_reaper(r, type, number);
      else if (!r || !r->lost) answer(id, type == END ? ENDED : LEFT_LIST, (const int32_t[]){0}, type == END);
      if (r) r->ending |= type == END && (kept || r->lost);
      if (!kept) break;
      r->answer_by = now_ms() + number + KILL_MS + DEAF_REAPER_MS;
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

static void reap_reapers(void) {
  int status;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    for (unsigned i = 0; i < run_count; i++) {
      if (runs[i].reaper.pid != pid) continue;
      runs[i].reaper.pid = 0;
      strangers |= status != 0; /* killed: only now is what it kept ours */
    }
    for (unsigned i = 0; i < idle_count; i++) if (idle[i].pid == pid) idle[i].pid = 0, drop_idle(i--);
  }
}

/* Kills what came to us because a reaper was killed. */
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
  while (idle_count && now_ms() - idle[0].since >= IDLE_MS) drop_idle(0);
  for (unsigned i = run_count; i-- > 0;) {
    struct run *r = &runs[i];
    if (r->reaper.pid || r->lost || r->reaper.fd >= 0 || r->out >= 0 || r->err >= 0) continue;
    stop_stdin(r);
    *r = runs[--run_count];
  }
}

static void wake_deaf_reapers(void) {
  int64_t now = now_ms();
  for (unsigned i = 0; i < run_count; i++) {
    struct run *r = &runs[i];
    if (!r->answer_by || now < r->answer_by) continue;
    bool starting = !r->started && now - r->born < STARTING_MS;
    if (r->reaper.pid) kill(r->reaper.pid, starting ? SIGCONT : SIGKILL);
    r->answer_by = starting ? now + 100 : 0;
  }
}

/* The service is gone, or talks nonsense: every reaper ends its tree when its socket closes. Waits for them, and for what they lost. */
static void end_everything(void) {
  int64_t deadline = now_ms() + ORPHANED_KILL_MS;
  while (idle_count) drop_idle(0);
  for (unsigned i = 0; i < run_count; i++) drop_run(&runs[i]);
  while (now_ms() < deadline) {
    reap_reapers();
    if (waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD) return;
    kill_strangers();
    poll(NULL, 0, 2);
  }
}

static int wait_ms(void) {
  int64_t wake = strangers ? now_ms() + 10 : INT64_MAX;
  if (idle_count && idle[0].since + IDLE_MS < wake) wake = idle[0].since + IDLE_MS;
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
    p[0] = (struct pollfd){r->reaper.fd, POLLIN, 0};
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
    if (p[0].revents) while (r->reaper.fd >= 0 && hear_reaper(r)) continue;
    if (p[1].revents && r->in >= 0) write_stdin(r);
  }
  if (polled[0].revents & (POLLIN | POLLHUP | POLLERR)) {
    if (!read_service()) owner_gone = 1;
    const char *wrong = take_frames();
    if (wrong) return wrong;
  }
  reap_reapers();
  if (strangers) kill_strangers();
  tell_lost();
  drop_ended();
  wake_deaf_reapers();
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
  for (int s = 1; s < 65; s++) signal(s, SIG_DFL); /* whoever started the service may have ignored some */
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGCHLD);
  sigaddset(&blocked, SIGUSR2);
  sigprocmask(SIG_SETMASK, &blocked, NULL);
  sigaction(SIGCHLD, &act, NULL);
  act.sa_handler = on_owner_gone;
  sigaction(SIGUSR2, &act, NULL);
  act.sa_handler = SIG_IGN;
  for (const int *s = ignored; *s; s++) sigaction(*s, &act, NULL);
  /* One session for us and all that we start: no terminal reaches it, and the service gets its share of the processor beside it.
     With one for each run the scheduler (CONFIG_SCHED_AUTOGROUP) let waiting ones starve behind new ones for 50 ms. */
  setsid();
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
