/* shell: prepares the shell's process between fork and exec. */
#include "shell.h"
#include "sandbox.h"
#include "terminal.h"
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define STACK_BYTES (64 << 10)

volatile int failed_errno;
volatile int failed_step;

static bool lower(int resource, int64_t value, int64_t hard_extra) {
  struct rlimit now, next;
  if (value == NONE) return true;
  if (getrlimit(resource, &now) != 0) return false;
  rlim_t wanted = (rlim_t)value;
  next.rlim_cur = now.rlim_max < wanted ? now.rlim_max : wanted;
  next.rlim_max = now.rlim_max < wanted + (rlim_t)hard_extra ? now.rlim_max : wanted + (rlim_t)hard_extra;
  if (now.rlim_cur < next.rlim_cur) next.rlim_cur = now.rlim_cur;
  return setrlimit(resource, &next) == 0;
}

/* Only raises the score: a value below our own would need a capability and would be a weaker limit. */
static bool raise_oom(int64_t value) {
  char text[16] = "";
  if (value == NONE) return true;
  prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* otherwise /proc/self is not writable; this process still shares the reaper's memory */
  int fd = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  if (fd < 0) return true; /* no /proc, or it is not writable: the command still runs */
  bool done = read(fd, text, sizeof text - 1) > 0;
  if (done && atoi(text) < value) {
    int n = snprintf(text, sizeof text, "%d", (int)value);
    done = write(fd, text, (size_t)n) == n;
  }
  close(fd);
  return done;
}

static bool raise_nice(int64_t value) {
  if (value == NONE) return true;
  errno = 0;
  int now = getpriority(PRIO_PROCESS, 0);
  return errno == 0 && (now >= value || setpriority(PRIO_PROCESS, 0, (int)value) == 0);
}

bool refuse(int step) {
  failed_errno = errno ? errno : EINVAL;
  failed_step = step;
  return false;
}

/* Everything between fork and exec, in the shell's process. Returns only if a step failed. */
static bool become(const struct start *start) {
  struct request *a = start->request;
  sigset_t nothing;
  if (a->window && !take_terminal(start->std[0])) return refuse(STEP_TERMINAL);
  if (!a->window && setsid() < 0) return refuse(STEP_SETSID);
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 || getppid() != start->reaper) return refuse(STEP_PDEATHSIG);
  if (start->state >= 0 && dup2(start->state, STATE_FD) < 0) return refuse(STEP_SESSION);
  if (!raise_oom(a->limit[LIMIT_OOM_SCORE_ADJ])) return refuse(STEP_LIMIT_OOM_SCORE_ADJ);
  if (!raise_nice(a->limit[LIMIT_NICE])) return refuse(STEP_LIMIT_NICE);
  if (!lower(RLIMIT_CPU, a->limit[LIMIT_CPU_SECONDS], 1)) return refuse(STEP_LIMIT_CPU_SECONDS);
  if (!lower(RLIMIT_FSIZE, a->limit[LIMIT_FILE_SIZE_BYTES], 0)) return refuse(STEP_LIMIT_FILE_SIZE_BYTES);
  if (!lower(RLIMIT_NOFILE, a->limit[LIMIT_OPEN_FILES], 0)) return refuse(STEP_LIMIT_OPEN_FILES);
  if (!lower(RLIMIT_AS, a->limit[LIMIT_ADDRESS_SPACE_BYTES], 0)) return refuse(STEP_LIMIT_ADDRESS_SPACE_BYTES);
  if (chdir(a->cwd[0]) != 0) return refuse(STEP_CHDIR);
  for (int i = 0; i < 3; i++) if (dup2(start->std[i], i) < 0) return refuse(STEP_DUP2);
  sigemptyset(&nothing);
  sigprocmask(SIG_SETMASK, &nothing, NULL); /* exec resets the signals that we handle */
  if (a->sandbox != BOX_NONE && !enter_sandbox(a, start->rules)) return refuse(STEP_SANDBOX);
  execve(a->argv[0], a->argv, a->envp); /* every other descriptor of ours is close-on-exec, except the session's state */
  return refuse(STEP_EXEC);
}

static int run_shell(void *start) {
  return become(start) ? 0 : 127;
}

pid_t clone_shell(const struct start *start) {
  static char stack[STACK_BYTES] __attribute__((aligned(16)));
  return clone(run_shell, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, (void *)start);
}
