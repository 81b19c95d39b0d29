/* Becomes PROGRAM behind a filter like Android's: prctl(PR_SET_CHILD_SUBREAPER) fails, or (NO_PIDFD) whoever calls pidfd_open gets SIGSYS. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define EQUAL(value, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, no)
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, what)

int main(int c, char **v) {
  struct sock_filter code[] = {
    LOAD(nr),
#ifdef NO_PIDFD
    EQUAL(434, 1), RETURN(SECCOMP_RET_TRAP),
#else
    EQUAL(SYS_prctl, 3), LOAD(args[0]), EQUAL(PR_SET_CHILD_SUBREAPER, 1), RETURN(SECCOMP_RET_ERRNO | EINVAL),
#endif
    RETURN(SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof code / sizeof *code, code};
  (void)c;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return 99;
  execv(PROGRAM, v);
  return 98;
}
