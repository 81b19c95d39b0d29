/* basics: functions that every part of the launcher uses. */
#include "launcher.h"
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

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

void wait_for(struct pollfd *polled, unsigned count, int64_t wake) {
  static sigset_t none;
  int64_t ms = wake == INT64_MAX ? 0 : wake - now_ms();
  if (ms < 0) ms = 0;
  struct timespec wait = {ms / 1000, ms % 1000 * 1000000L};
  if (ppoll(polled, count, wake == INT64_MAX ? NULL : &wait, &none) >= 0) return;
  for (unsigned i = 0; i < count; i++) polled[i].revents = 0;
}
