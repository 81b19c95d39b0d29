/*
 * What lets a launcher run under qemu-user, which knows no PR_SET_CHILD_SUBREAPER. GUEST: compiled into the launcher as its
 * prctl: the two questions about subreapers are answered with yes. Else: preloaded into qemu itself, it makes each of its forks one.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef GUEST
int prctl(int option, ...) { /* guest_prctl, by -Dprctl */
  unsigned long of[4];
  va_list list;
  va_start(list, option);
  for (int i = 0; i < 4; i++) of[i] = va_arg(list, unsigned long);
  va_end(list);
  if (option == PR_SET_CHILD_SUBREAPER) return 0;
  if (option == PR_GET_CHILD_SUBREAPER) return *(int *)of[0] = 1, 0;
  return (int)syscall(SYS_prctl, option, of[0], of[1], of[2], of[3]);
}
#else
__attribute__((constructor)) static void become_subreaper(void) { prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

pid_t fork(void) {
  pid_t pid = ((pid_t (*)(void))dlsym(RTLD_NEXT, "fork"))();
  if (pid == 0) become_subreaper();
  return pid;
}
#endif
