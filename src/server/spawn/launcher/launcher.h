#pragma once
/* launcher.h: shared by every part of the launcher; protocol.h: shared with the service. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "protocol.h"

#define MAX_FOLDERS 64
#define ALONE_KILL_MS 10000 /* how long to scan a tree after SIGKILL when the service or the launcher is gone */
#define WRONG_INPUT 65      /* exit code: protocol error */

/* The monotonic clock in milliseconds. */
int64_t now_ms(void);
/* realloc() that ends the process when memory runs out. */
void *more(void *old, size_t size);
/* Closes a descriptor and sets it to -1. */
void shut(int *fd);
/* ppoll() until `wake` (on the clock of now_ms(); INT64_MAX: no timeout) with all signals unblocked; sets `revents`. */
struct pollfd;
void wait_for(struct pollfd *polled, unsigned count, int64_t wake);
