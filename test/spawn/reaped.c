/* The shell has been reaped, and its number is the group of a stranger by now: neither a signal for the run nor the run's end may reach that. */
#include "../../src/spawn/launcher/ending.c"
#include "../../src/spawn/launcher/orders.c"
#include <poll.h>
#include <sys/wait.h>

/* The group of a process that is none of ours; `alive` hangs up when it ends. */
static pid_t start_stranger(int *alive) {
  int ends[2], born[2];
  pid_t pid = 0;
  if (pipe(ends) != 0 || pipe(born) != 0) return -1;
  pid_t between = fork();
  if (between == 0) {
    if (fork() > 0) _exit(0);
    setpgid(0, 0);
    pid = getpid();
    if (write(born[1], &pid, sizeof pid) < 0) _exit(1);
    for (close(ends[0]);;) pause();
  }
  waitpid(between, NULL, 0); /* from now on it is not below us */
  close(ends[1]);
  *alive = ends[0];
  return read(born[0], &pid, sizeof pid) == sizeof pid ? pid : -1;
}

int main(void) {
  for (int round = 0; round < 2; round++) {
    int alive = -1;
    shell = (struct shell){.pid = start_stranger(&alive), .reaped = true};
    if (shell.pid <= 1) return 1;
    if (round == 0) take_signal(SIGKILL);
    else begin_ending(SIGKILL, 1000);
    puts(poll(&(struct pollfd){alive, POLLIN, 0}, 1, 200) == 0 ? "spared" : "killed");
    kill(shell.pid, SIGKILL);
  }
}
