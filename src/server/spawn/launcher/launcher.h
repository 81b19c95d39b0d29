#pragma once
/* launcher.h: what every part of the launcher shares; protocol.h: with the service too. */
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
#define ALONE_KILL_MS 10000 /* after SIGKILL a tree is looked for so long when nobody is left who could ask for more */
#define WRONG_INPUT 65      /* exit code: what came is not the protocol */

/* Milliseconds of the monotonic clock. */
int64_t now_ms(void);
/* realloc() that ends the process where there is no memory. */
void *more(void *old, size_t size);
/* Closes a descriptor and forgets it. */
void shut(int *fd);
/* ppoll() until `wake` (now_ms(); INT64_MAX: for ever), with all signals let in. What came is in `revents`. */
struct pollfd;
void wait_for(struct pollfd *polled, unsigned count, int64_t wake);
