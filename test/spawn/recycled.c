/* Signals a child as one that had its pid before, which must spare it, then as itself; without process descriptors, and with. */
#include "../../src/spawn/launcher/basics.c"
#include "../../src/spawn/launcher/tree.c"

static const char *signalled(pid_t child, struct proc seen, int ms) {
  signal_proc(&seen, SIGKILL);
  for (; ms > 0; ms -= 10) {
    if (waitpid(child, NULL, WNOHANG) == child) return "ended";
    poll(NULL, 0, 10);
  }
  return "spared";
}

int main(void) {
  for (int round = 0; round < 2; round++) {
    pid_t child = fork();
    if (child == 0) for (;;) pause();
    look(NULL);
    struct proc itself = procs[0], before = itself;
    before.start--;
    const char *first = signalled(child, before, 100);
    printf("%s %s\n", first, signalled(child, itself, 120000));
    fflush(stdout);
    probe_pidfd();
  }
}
