/*
 * reaper: supervises a run: starts its shell, forwards its input and output, kills and reaps its tree. It is forked once and then handles
 * one run after another, because a fork for each run would cost as much as starting the shell. When idle, it sleeps in a single call.
 *
 * It is the child subreaper of everything that the shell starts, so ECHILD from waitpid() means that no process of the run is left,
 * whatever a process did to its session, group, environment or parents. It reads a pipe only while the service has credited earlier output
 * (the window) and accepts what is queued. The message about a start waits briefly to be sent with others; output never waits.
 */
#include "reaper.h"
#include "sandbox.h"
#include "ending.h"
#include "frames.h"
#include "run.h"
#include "session.h"
#include "shell.h"
#include "tree.h"
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUT_HIGH (256u << 10)  /* pipes are not read while more than this is unsent */
#define GOODBYE_MS 1000        /* how long the service may take to read the last messages */

struct run run = {.in = -1, .out = -1, .err = -1, .state = -1};
static volatile int *is_busy;
static pid_t parent;
static int dev_null;
static bool alone, orphaned;    /* alone: the service is gone; orphaned: the launcher is gone */
bool leaves;
static volatile sig_atomic_t was_continued;

static void on_child(int number) { (void)number; }

static void on_continued(int number) {
  (void)number;
  was_continued = 1;
}

/* Starts the shell on the other ends of the pipes; false, with failed_step and failed_errno, if a step failed. */
static bool start_shell(struct request *a, const int std[3], int state) {
  int rules = a->sandbox == BOX_NONE ? -1 : make_rules(a);
  pid_t pid = -1;
  if (a->sandbox != BOX_NONE && rules < 0) refuse(STEP_SANDBOX);
  else if ((pid = clone_shell(&(struct start){a, getpid(), std, rules, state})) < 0) refuse(STEP_FORK);
  if (rules >= 0) close(rules);
  shell = (struct shell){.pid = pid};
  if (failed_step && pid > 0) waitpid(pid, NULL, 0);
  return !failed_step;
}

static int double_of(int fd) { return fcntl(fd, F_DUPFD_CLOEXEC, 0); }

/* Opens a terminal instead of all three pipes; its output is sent as stdout. Each end is a separate descriptor. */
static bool make_terminal(struct request *a, int in[2], int out[2], int err[2]) {
  if (!open_terminal(&out[0], &out[1], a->terminal)) return refuse(STEP_TERMINAL);
  set_window(out[0], a->window);
  return ((in[0] = double_of(out[1])) >= 0 && (in[1] = double_of(out[0])) >= 0 && (err[1] = double_of(out[1])) >= 0) || refuse(STEP_TERMINAL);
}

static bool make_pipes(struct request *a, int in[2], int out[2], int err[2]) {
  return (make_pipe(out, 0) && make_pipe(err, 0) && (!a->stdin_pipe || make_pipe(in, 1))) || refuse(STEP_PIPE);
}

void start_run(struct request *a) {
  int in[2] = {dev_null, -1}, out[2] = {-1, -1}, err[2] = {-1, -1}, state = -1;
  forget_ended();
  failed_step = 0;
  bool started = (!a->nonce[0] || (state = make_state(a->nonce[0])) >= 0 || refuse(STEP_SESSION)) && (a->window ? make_terminal : make_pipes)(a, in, out, err) &&
                 start_shell(a, (const int[]){in[0], out[1], err[1]}, state);
  if (in[0] != dev_null) shut(&in[0]);
  shut(&out[1]), shut(&err[1]);
  if (!started) {
    send_frame(FAILED, (const int32_t[]){failed_errno, failed_step}, 2);
    say_by = 0;
    leaves = true; /* a failed step may leave something behind */
    shut(&in[1]), shut(&out[0]), shut(&err[0]), shut(&state);
    return;
  }
  int64_t now = now_ms();
  memset(&run, 0, sizeof run);
  memcpy(run.limit, a->limit, sizeof run.limit);
  leaves = false;
  run.on = true, run.terminal = a->window, run.in = in[1], run.out = out[0], run.err = err[0], run.state = state, run.window = WINDOW;
  run.time_up = a->time_ms == NONE ? INT64_MAX : now + a->time_ms, run.grace_ms = a->grace_ms;
  begin_watch(now);
  say_later(STARTED, (const int32_t[]){shell.pid}, 1);
}

/* Reaps exited children; true if no process of the run is left. */
static bool reap(void) {
  int status;
  for (;;) {
    pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid < 0 && errno == EINTR) continue;
    if (pid <= 0) return pid < 0;
    if (pid == shell.pid && !shell.reaped) shell.reaped = true, shell.status = status;
  }
}

void tell_ended(bool gave_up) {
  int32_t numbers[MAX_LISTED + 2];
  int left = gave_up ? list_members(numbers + 1) : 0, listed = left < MAX_LISTED ? left : MAX_LISTED;
  numbers[0] = count_signalled() > left ? count_signalled() - left : 0;
  if (gave_up && !shell.reaped) numbers[++listed] = shell.pid;
  if (run.reply) say(ENDED, numbers, listed + 1);
  run.reply = false;
  ending = 0;
}

/* False if a command changed our own limits (prlimit, renice), which the next run must not inherit. `look_first` records them. */
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

/* Reports what has changed in the tree since the last turn. */
static void tell_news(void) {
  bool empty = run.empty || reap();
  bool all_first = run.note && ending && !empty; /* after an exceeded limit, the whole tree is killed before the exit is reported */
  if (shell.reaped && !run.told_exit && !all_first) {
    read_rest(&run.out, STDOUT);
    read_rest(&run.err, STDERR);
    send_state(&run.state);
    say(EXITED, (const int32_t[]){shell.status, run.note}, 2);
    run.told_exit = true;
  }
  if (empty && !run.empty) {
    run.empty = true;
    tell_ended(false);
    stop_stdin();
    say(EMPTY, NULL, 0);
  }
  if (run.empty && (alone || orphaned)) stop_output(&run.out), stop_output(&run.err); /* processes that still have them open do not belong to this run */
  run.on = !run.empty || run.out >= 0 || run.err >= 0;
}

/* Kills the run because the service or the launcher is gone; `note` says which. */
static void end_alone(int note) {
  if (!run.on) _exit(0);
  if (!run.note) run.note = note;
  begin_ending(SIGKILL, ALONE_KILL_MS);
}

/* Does what is due: the next step of killing the tree, the deadline, a check of the limits. */
static void keep_time(void) {
  int64_t now = now_ms();
  if (ending && !go_on_ending()) {
    if (alone || orphaned) _exit(1);
    tell_ended(true);
  } else if (!ending && !shell.reaped && now >= run.time_up) {
    run.note = NOTE_DEADLINE;
    begin_ending(!run.grace_ms ? SIGKILL : run.terminal ? SIGHUP : SIGTERM, run.grace_ms ? run.grace_ms : KILL_MS);
  } else if (!ending && !run.empty && now >= run.watch) watch_limits();
}

static int64_t wakes(void) {
  int64_t wake = channel.out.len && say_by ? say_by : INT64_MAX;
  int64_t due = !run.on || run.empty ? INT64_MAX : ending ? ending_wakes() : !shell.reaped && run.time_up < run.watch ? run.time_up : run.watch;
  return due < wake ? due : wake;
}

/* Closes a slot that no other reaper will take over, after the service has read everything. */
static void say_goodbye(void) {
  int64_t until = now_ms() + GOODBYE_MS;
  shutdown(channel.fd, SHUT_WR);
  while (now_ms() < until && receive()) {
    drop_input(channel.in.len);
    wait_for(&(struct pollfd){channel.fd, POLLIN, 0}, 1, until);
  }
  _exit(0);
}

/* Between two runs: exits unless this process is fit for the next run. The launcher then forks another reaper. */
static void rest(void) {
  if (alone) _exit(0);
  if (channel.out.len || (channel.in.len && !orphaned)) return;
  if (orphaned) say_goodbye();
  if (leaves || (*is_busy && !is_untouched(false))) _exit(0);
  *is_busy = 0;
}

/* Waits, then serves each descriptor that is ready once. */
static void turn(void) {
  bool full = channel.out.len - channel.out.at > OUT_HIGH, reads = run.on && !full && run.window > 0;
  struct pollfd polled[] = {
    {channel.fd, (short)(POLLIN | (channel.out.len && !say_by ? POLLOUT : 0)), 0},
    {run.in, (short)(run.in_data ? POLLOUT : 0), 0},
    {reads ? run.out : -1, POLLIN, 0},
    {reads ? run.err : -1, POLLIN, 0},
  };
  if (alone) polled[0].fd = -1;
  int64_t wake = wakes(), now;
  wait_for(polled, run.on ? 4 : 1, wake);
  if ((now = now_ms()) < wake) watch_soon(now);
  if (was_continued && !orphaned && getppid() != parent) orphaned = true, end_alone(NOTE_LAUNCHER);
  was_continued = 0;
  if (polled[2].revents) read_pipe(&run.out, STDOUT, run.window);
  if (polled[3].revents && run.window > 0) read_pipe(&run.err, STDERR, run.window);
  if (polled[1].revents && run.in >= 0) write_stdin();
  if (polled[0].revents & (POLLIN | POLLHUP | POLLERR)) {
    *is_busy = 1;
    if (!receive()) alone = true, end_alone(NOTE_NONE);
    take_frames();
  }
}

_Noreturn void reap_runs(int slot, volatile int *busy, pid_t launcher, int null) {
  struct sigaction act = {.sa_handler = on_child};
  sigset_t blocked;
  sigprocmask(SIG_SETMASK, NULL, &blocked);
  sigaddset(&blocked, SIGCONT);
  sigprocmask(SIG_SETMASK, &blocked, NULL);
  sigaction(SIGCHLD, &act, NULL);
  act.sa_handler = on_continued;
  sigaction(SIGCONT, &act, NULL);
  channel.fd = slot, is_busy = busy, parent = launcher, dev_null = null;
  prctl(PR_SET_NAME, "run-reaper", 0, 0, 0);
  prctl(PR_SET_PDEATHSIG, SIGCONT, 0, 0, 0); /* wakes even a stopped reaper when the launcher is gone */
  if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) _exit(NO_SUBREAPERS);
  if (getppid() != launcher) _exit(0);
  is_untouched(true);
  send_frame(BORN, (const int32_t[]){getpid()}, 1); /* before any start, which can hang as long as a file system does not respond */
  send_out();
  for (;;) {
    turn();
    if (run.on) keep_time();
    if (run.on) tell_news();
    if (alone) channel.out.at = channel.out.len = 0;
    if (channel.out.len && (!say_by || !run.on || now_ms() >= say_by)) say_by = 0, send_out();
    if (!run.on) rest();
  }
}
