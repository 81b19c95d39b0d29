#pragma once
/* launcher.h: what every part of the launcher shares; src/spawn/launcher-protocol.ts is its other side. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define VERSION 1
#define SERVICE 3
#define HEADER 12                   /* payload length u32, run u32, type u8, three zero bytes; little endian */
#define MAX_FRAME (3u << 20)        /* payload */
#define MAX_STRINGS 4096
#define MAX_FOLDERS 64
#define OUT_HIGH (1u << 20)         /* with so much unsent, neither pipes nor requests are read */
#define NONE INT64_MIN              /* a limit that is not set */

enum { HELLO = 1, SPAWN, STDIN, STDIN_END, CREDIT, DETACH, SIGNAL, LEFT, END };
enum { READY = 64, STARTED, FAILED, STDOUT, STDERR, TAKEN, EXITED, CLOSED, LEFT_LIST, ENDED, EMPTY };
enum { NOTE_NONE, NOTE_PROCESSES, NOTE_CPU, NOTE_REAPER };
enum { BOX_NONE, BOX_READ_ONLY, BOX_WORKSPACE };
enum { CPU, ADDRESS_SPACE, PROCESSES, OPEN_FILES, FILE_SIZE, NICE, OOM, LIMITS };

/* A terminal's signals, or a supervisor's: the service decides. Ends with 0. */
extern const int ignored[];

/* Milliseconds of the monotonic clock. */
int64_t now_ms(void);
/* realloc() that ends the process where there is no memory. */
void *more(void *old, size_t size);
/* Closes a descriptor and forgets it. */
void shut(int *fd);
