/*
 * launcher: a small process supervisor. The service starts it once, with a socket pair for each slot; src/server/spawn/launcher.ts is the
 * other side. For each run the service exchanges frames on one slot with a reaper, which is a fork of the launcher.
 *
 *     service ─────────── launcher            (descriptor 3: the launcher reports that it is ready; EOF shows each side that the other is gone)
 *        ╠══ slot 4 ═════════ ├── reaper ── shell ── processes that the command starts
 *        ╚══ slot 5 ═════════ └── reaper ── shell ── …
 *
 * The launcher is the reapers' parent and subreaper, and does not read their frames. At startup it forks one reaper, which waits for the
 * first run, and another when data arrives on a slot that has none. If a command kills its own reaper, the remaining processes of the run
 * become the launcher's children: it kills every child that is not a reaper, then closes the slot, which notifies the service. It continues a
 * reaper that was stopped. A reaper kills its tree when the launcher is gone; the launcher kills everything when the service is gone.
 *
 * It needs only libc. The kernel's newer structs are declared here, so that it builds with the headers of Debian, musl and Termux.
 */
#include "sandbox.h"
#include "frames.h"
#include "reaper.h"
#include "session.h"
#include "terminal.h"
#include "tree.h"
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CONTROL 3
#define MAX_SLOTS 64
#define LOST_STEP_MS 10 /* between two scans for the processes of a killed reaper */

static struct slot {
  int fd;            /* the reaper's end; -1: closed permanently */
  pid_t pid;         /* 0: no reaper */
  bool lost;         /* its reaper was killed during a run whose processes may still exist */
} slots[MAX_SLOTS];
static unsigned slot_count;
static volatile int *busy; /* for each slot, shared with its reaper */
static int dev_null;
static bool strangers, wrong_input, owner_gone;

static void on_signal(int number) { (void)number; }

static bool is_reaper(pid_t pid) {
  for (unsigned i = 0; i < slot_count; i++) if (slots[i].pid == pid) return true;
  return false;
}

/* shutdown() notifies the service, even if another process has the socket open. */
static void close_slot(struct slot *s) {
  shutdown(s->fd, SHUT_RDWR);
  shut(&s->fd);
}

/* A reaper keeps only its own slot, not the other slots or the control socket. */
static void fork_reaper(struct slot *s) {
  pid_t self = getpid();
  busy[s - slots] = 0;
  s->pid = fork();
  if (s->pid == 0) {
    close(CONTROL);
    for (unsigned i = 0; i < slot_count; i++) if (&slots[i] != s) shut(&slots[i].fd);
    reap_runs(s->fd, &busy[s - slots], self, dev_null);
  }
  if (s->pid > 0) return;
  s->pid = 0;
  channel.fd = s->fd;
  send_frame(FAILED, (const int32_t[]){errno, STEP_REAPER}, 2); /* the slot is closed, with the request on it */
  send_out();
  close_slot(s);
}

/* Called when a slot without a reaper has data or EOF. */
static void serve_slot(struct slot *s) {
  char byte;
  if (recv(s->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) shut(&s->fd);
  else fork_reaper(s);
}

static void lose_reaper(struct slot *s, int status) {
  s->pid = 0;
  wrong_input |= WIFEXITED(status) && WEXITSTATUS(status) == WRONG_INPUT;
  if (status != 0 && busy[s - slots]) s->lost = strangers = true; /* otherwise nothing was read from the slot: another reaper will read it */
}

/* Reaps reapers that have exited and continues those that were stopped. */
static void reap_reapers(void) {
  int status;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0;) {
    for (unsigned i = 0; i < slot_count; i++) {
      if (slots[i].pid != pid) continue;
      if (WIFSTOPPED(status)) kill(pid, SIGCONT);
      else lose_reaper(&slots[i], status);
    }
  }
}

/* Kills the processes that became our children because a reaper was killed. Closes the slot when no such process is left. */
static void kill_strangers(void) {
  strangers = false;
  look(is_reaper);
  for (size_t i = 0; i < proc_count; i++) {
    if (procs[i].member != 1 || !procs[i].alive) continue;
    signal_proc(&procs[i], SIGKILL);
    strangers = true;
  }
  for (unsigned i = 0; i < slot_count && !strangers; i++) if (slots[i].lost) slots[i].lost = false, close_slot(&slots[i]);
}

/* Called when the service is gone or has violated the protocol. Closes the slots, so that the reapers kill their trees, and waits for all processes. */
static void end_everything(void) {
  int64_t deadline = now_ms() + ALONE_KILL_MS;
  for (unsigned i = 0; i < slot_count; i++) {
    if (slots[i].fd >= 0) close_slot(&slots[i]);
    if (slots[i].pid) kill(slots[i].pid, SIGCONT);
    slots[i].lost = false;
  }
  while (now_ms() < deadline) {
    reap_reapers();
    if (waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD) return;
    kill_strangers();
    poll(NULL, 0, 2);
  }
  /* a reaper that hangs while starting a shell would continue when the file system responds */
  for (unsigned i = 0; i < slot_count; i++) if (slots[i].pid) kill(slots[i].pid, SIGKILL);
}

/* Waits in one call until a slot without a reaper has data, a child has exited or stopped, or the service is gone. */
static void one_round(void) {
  struct pollfd polled[1 + MAX_SLOTS] = {{CONTROL, POLLIN, 0}};
  for (unsigned i = 0; i < slot_count; i++) {
    polled[1 + i] = (struct pollfd){slots[i].pid || slots[i].lost ? -1 : slots[i].fd, POLLIN, 0};
  }
  wait_for(polled, 1 + slot_count, strangers ? now_ms() + LOST_STEP_MS : INT64_MAX);
  if (polled[0].revents) owner_gone = true;
  for (unsigned i = 0; i < slot_count; i++) if (polled[1 + i].revents) serve_slot(&slots[i]);
  reap_reapers();
  if (strangers) kill_strangers();
}

/* The service may have inherited open descriptors. A command must not get any of them. */
static void close_on_exec(void) {
  DIR *dir = opendir("/proc/self/fd");
  for (int fd = 3; !dir && fd < 4096; fd++) fcntl(fd, F_SETFD, FD_CLOEXEC);
  for (struct dirent *e; dir && (e = readdir(dir));) if (atoi(e->d_name) >= 3) fcntl(atoi(e->d_name), F_SETFD, FD_CLOEXEC);
  if (dir) closedir(dir);
}

static void set_up_signals(void) {
  struct sigaction act = {.sa_handler = on_signal};
  sigset_t blocked;
  /* Signals from a terminal or a supervisor: the service decides what to do. They are handled, not ignored, because exec resets handlers. */
  static const int unheeded[] = {SIGPIPE, SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU};
  for (int s = 1; s < 65; s++) signal(s, SIG_DFL); /* the service may have inherited ignored signals */
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGCHLD);
  sigprocmask(SIG_SETMASK, &blocked, NULL);
  sigaction(SIGCHLD, &act, NULL);
  for (size_t i = 0; i < sizeof unheeded / sizeof *unheeded; i++) sigaction(unheeded[i], &act, NULL);
}

static bool is_socket(int fd) {
  struct stat st;
  return fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode);
}

/* Checks the inherited descriptors: the control socket, then a socket for each slot. */
static bool find_slots(const char *count) {
  slot_count = (unsigned)atoi(count);
  if (slot_count < 1 || slot_count > MAX_SLOTS || !is_socket(CONTROL)) return false;
  for (unsigned i = 0; i < slot_count; i++) {
    slots[i].fd = FIRST_SLOT + (int)i;
    if (!is_socket(slots[i].fd)) return false;
  }
  return true;
}

/* Returns 0 if ptys work, otherwise errno. */
static int try_terminal(void) {
  char path[TERMINAL_PATH];
  int ours, theirs;
  if (!open_terminal(&ours, &theirs, path)) return errno;
  close(ours), close(theirs);
  return 0;
}

static void say_ready(void) {
  channel.fd = CONTROL;
  send_frame(READY, (const int32_t[]){VERSION, landlock_abi, has_seccomp, getpid(), try_terminal()}, 5);
  send_out();
}

/* launcher SLOTS [--no-boxes], or in the EXIT trap of a shell: launcher --session FD NONCE SHELL */
int main(int argc, char **argv) {
  if (argc == 5 && strcmp(argv[1], "--session") == 0) return save_state(argv[2], argv[3], argv[4]);
  for (int fd; (fd = open("/dev/null", O_RDWR)) >= 0 && fd < 3;) continue;
  if (argc < 2 || !find_slots(argv[1])) {
    fputs("launcher: part of shellphone, which starts it automatically\n", stderr);
    return 64;
  }
  set_up_signals();
  /* The launcher and its reapers share a session without a terminal; each shell starts a session of its own. */
  setsid();
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 70;
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* no command may trace us */
  int subreaper = 0;
  if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0 || prctl(PR_GET_CHILD_SUBREAPER, &subreaper, 0, 0, 0) != 0 || !subreaper) return NO_SUBREAPERS;
  close_on_exec();
  dev_null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  busy = mmap(NULL, MAX_SLOTS * sizeof *busy, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (dev_null < 0 || busy == MAP_FAILED) return 70;
  if (argc < 3) probe_boxes();
  probe_pidfd();
  fork_reaper(&slots[0]);
  say_ready();
  while (!owner_gone && !wrong_input) one_round();
  end_everything();
  return wrong_input ? WRONG_INPUT : 0;
}
