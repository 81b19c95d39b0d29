#pragma once
#include "launcher.h"

struct proc {
  pid_t pid, parent, group;
  uint64_t start, ticks;
  bool alive;
  int8_t member;                    /* 0: not known yet */
};

/* What the last look found. */
extern struct proc *procs;
extern size_t proc_count;

/* Looks at /proc and marks what descends from us, but for reapers and what is theirs. False where there is no /proc. */
bool look(void);
/* Signals exactly the process that was seen: a process descriptor holds it while its start time is read again. */
void signal_proc(const struct proc *seen, int number);
/* Main's: is this process one of the launcher's reapers? */
bool is_reaper(pid_t pid);
