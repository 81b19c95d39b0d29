#pragma once
#include "request.h"

/* Why the shell was not started, written by the child of vfork, which shares our memory until it executes the shell. */
extern volatile int failed_errno;
extern const char *volatile failed_step;

/* Notes that a step failed, and with what errno; always false. */
bool refuse(const char *step);
/* Everything between fork and exec, in the shell's process. Returns only where a step failed. */
bool become(struct request *a, pid_t reaper, const int std[3], int rules);
