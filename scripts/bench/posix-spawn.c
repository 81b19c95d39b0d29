/* Starts `sh -c true` with two pipes and waits for it. The argument is the number of repetitions. Prints the milliseconds of each. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
extern char **environ;
int main(int c, char **v) {
  char *argv[] = {"/bin/sh", "-c", "true", NULL};
  for (int i = 0; i < atoi(v[c - 1]); i++) {
    struct timespec a, b; int p[2], q[2]; pid_t pid; char x[64];
    clock_gettime(CLOCK_MONOTONIC, &a);
    pipe2(p, O_CLOEXEC); pipe2(q, O_CLOEXEC);
    posix_spawn_file_actions_t f; posix_spawn_file_actions_init(&f);
    posix_spawn_file_actions_adddup2(&f, p[1], 1); posix_spawn_file_actions_adddup2(&f, q[1], 2);
    posix_spawn(&pid, argv[0], &f, NULL, argv, environ);
    close(p[1]); close(q[1]);
    while (read(p[0], x, 64) > 0); while (read(q[0], x, 64) > 0);
    waitpid(pid, NULL, 0);
    close(p[0]); close(q[0]);
    clock_gettime(CLOCK_MONOTONIC, &b);
    printf("%f\n", (b.tv_sec - a.tv_sec) * 1e3 + (b.tv_nsec - a.tv_nsec) / 1e6);
  }
}
