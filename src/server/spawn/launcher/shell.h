#pragma once
#include "request.h"

/* Why the shell was not started; 0: no step failed. Written by the shell's process, which shares our memory until exec. */
extern volatile int failed_errno;
extern volatile int failed_step;

/* The input of the shell's process between fork and exec. */
struct start {
  struct request *request;
  pid_t reaper;
  const int *std;
  int rules;
  int state; /* the file for the session's state; -1: none */
};

/* Records a failed step and its errno; always returns false. */
bool refuse(int step);
/* Starts the shell in a child that shares our memory and suspends us until exec; -1: failed. Not vfork(), which is a fork in musl on arm64. */
pid_t clone_shell(const struct start *start);
