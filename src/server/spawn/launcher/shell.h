#pragma once
#include "request.h"

/* Why the shell was not started, written by its process, which shares our memory until it executes the shell; 0: no step failed. */
extern volatile int failed_errno;
extern volatile int failed_step;

/* What the shell's process is given between fork and exec. */
struct start {
  struct request *request;
  pid_t reaper;
  const int *std;
  int rules;
};

/* Notes that a step failed, and with what errno; always false. */
bool refuse(int step);
/* Starts the shell: a child that has our memory, which stands still until it executes; -1: there is none. vfork() would do, but musl's is a fork on arm64. */
pid_t clone_shell(const struct start *start);
