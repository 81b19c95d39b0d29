#pragma once
/* launcher.h: what every part of the launcher shares; src/server/spawn/launcher-protocol.ts is its other side. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define VERSION 4
#define MAX_STRINGS 4096
#define MAX_FOLDERS 64
#define NONE INT64_MIN        /* a limit that is not set, a deadline that is not there */
#define KILL_MS 2000          /* after SIGKILL a tree is looked for so long … */
#define ALONE_KILL_MS 10000   /* … and so long when nobody is left who could ask for more */
#define WRONG_INPUT 65        /* exit codes: what came is not the protocol … */
#define NO_SUBREAPERS 69      /* … and the system lacks what all this rests on */

enum { SPAWN = 1, STDIN, STDIN_END, CREDIT, DETACH, SIGNAL, LEFT, END, LEAVE, WINDOW_SIZE };
enum { READY = 64, STARTED, FAILED, STDOUT, STDERR, TAKEN, EXITED, CLOSED, LEFT_LIST, ENDED, EMPTY, BORN };
enum { NOTE_NONE, NOTE_PROCESSES, NOTE_CPU, NOTE_DEADLINE, NOTE_LAUNCHER };
enum { BOX_NONE, BOX_READ_ONLY, BOX_WORKSPACE };
enum { CPU, ADDRESS_SPACE, PROCESSES, OPEN_FILES, FILE_SIZE, NICE, OOM, LIMITS };

/* Milliseconds of the monotonic clock. */
int64_t now_ms(void);
/* realloc() that ends the process where there is no memory. */
void *more(void *old, size_t size);
/* Closes a descriptor and forgets it. */
void shut(int *fd);
/* ppoll() until `wake` (now_ms(); INT64_MAX: for ever), with all signals let in. What came is in `revents`. */
struct pollfd;
void wait_for(struct pollfd *polled, unsigned count, int64_t wake);
