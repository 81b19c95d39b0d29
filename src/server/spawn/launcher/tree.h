#pragma once
#include "launcher.h"

struct proc {
  pid_t pid, parent, group;
  uint64_t start, ticks, waited;    /* CPU time of its own, and of the children that it has waited for, in clock ticks */
  bool alive;
  int8_t member;                    /* 0: not known yet */
};

/* What the last look found. */
extern struct proc *procs;
extern size_t proc_count;

/* Looks at /proc and marks what descends from us, but for children to `skip` (NULL: none) and what is theirs. False where there is no /proc. */
bool look(bool (*skip)(pid_t pid));
/* Compares two processes, for qsort() and bsearch(). */
int by_pid(const void *a, const void *b);
/* Is exactly the process that was seen still there, be it a zombie? */
bool is_there(const struct proc *seen);
/* Asks in a child whether process descriptors are to be had: Android's filter may kill whoever opens one. */
void probe_pidfd(void);
/* Signals exactly the process that was seen: a process descriptor, where there are any, holds it while its start time is read again. */
void signal_proc(const struct proc *seen, int number);
