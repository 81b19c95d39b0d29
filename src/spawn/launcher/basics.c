/* basics: what every part of the launcher needs. */
#include "launcher.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* A terminal's signals, or a supervisor's: the service decides. */
const int ignored[] = {SIGPIPE, SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU, 0};

int64_t now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void *more(void *old, size_t size) {
  void *p = realloc(old, size);
  if (!p) {
    fputs("launcher: out of memory\n", stderr);
    _exit(70);
  }
  return p;
}

void shut(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}
