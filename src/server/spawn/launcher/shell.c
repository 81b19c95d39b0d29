/* shell: what happens in the shell's process between fork and exec. */
#include "shell.h"
#include "box.h"
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
const char *volatile failed_step;

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

/* Raised only: below what we have ourselves would need a right, and would be the weaker limit. */
static bool raise_oom(int64_t value) {
  char text[16] = "";
  if (value == NONE) return true;
  prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* or /proc/self would not be ours to write; the reaper's memory is this memory still */
  int fd = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  if (fd < 0) return true; /* no /proc, or not ours to write: no reason not to run */
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

bool refuse(const char *step) {
  failed_errno = errno ? errno : EINVAL;
  failed_step = step;
  return false;
}

/* Everything between fork and exec, in the shell's process. Returns only where a step failed. */
static bool become(const struct start *start) {
  struct request *a = start->request;
  sigset_t nothing;
  if (a->window && !take_terminal(start->std[0])) return refuse("terminal");
  if (!a->window && setpgid(0, 0) < 0) return refuse("setpgid");
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 || getppid() != start->reaper) return refuse("pdeathsig");
  if (!raise_oom(a->limit[OOM])) return refuse("limit oomScoreAdj");
  if (!raise_nice(a->limit[NICE])) return refuse("limit nice");
  if (!lower(RLIMIT_CPU, a->limit[CPU], 1)) return refuse("limit cpuSeconds");
  if (!lower(RLIMIT_FSIZE, a->limit[FILE_SIZE], 0)) return refuse("limit fileSizeBytes");
  if (!lower(RLIMIT_NOFILE, a->limit[OPEN_FILES], 0)) return refuse("limit openFiles");
  if (!lower(RLIMIT_AS, a->limit[ADDRESS_SPACE], 0)) return refuse("limit addressSpaceBytes");
  if (chdir(a->cwd[0]) != 0) return refuse("chdir");
  for (int i = 0; i < 3; i++) if (dup2(start->std[i], i) < 0) return refuse("dup2");
  sigemptyset(&nothing);
  sigprocmask(SIG_SETMASK, &nothing, NULL); /* executing the shell resets the signals that we handle */
  if (a->box != BOX_NONE && !enter_box(a, start->rules)) return refuse("sandbox");
  execve(a->argv[0], a->argv, a->envp); /* every other descriptor of ours is close-on-exec */
  return refuse("exec");
}

static int run_shell(void *start) {
  return become(start) ? 0 : 127;
}

pid_t clone_shell(const struct start *start) {
  static char stack[STACK_BYTES] __attribute__((aligned(16)));
  return clone(run_shell, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, (void *)start);
}
