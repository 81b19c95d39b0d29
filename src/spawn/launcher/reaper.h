#pragma once
#include "launcher.h"

#define MAILBOX (MAX_FRAME + 1) /* what a reaper is asked for, and a last byte that says that it took it */
#define MAX_LISTED 1000 /* pids named in one message */
#define KILL_MS 2000    /* after SIGKILL a tree is looked for so long */

enum { FREE = 1, LEAVES };          /* the last word about a run: nothing of it is left, and the reaper takes another, or leaves */

/* What launcher and reaper say to each other, one packet each. */
struct word {
  int32_t kind, a, b, last, n;
  int32_t pids[MAX_LISTED];
};
#define WORD_HEAD offsetof(struct word, pids)

void on_child(int number);
/* A reaper's whole life, which begins after the fork. */
_Noreturn void keep(int fd, volatile char *mailbox);
