#pragma once
#include "launcher.h"

struct proc {
  pid_t pid, parent, group;
  uint64_t start, ticks, waited;    /* in clock ticks: start time, own CPU time, CPU time of children it has waited for */
  bool alive;
  int8_t member;                    /* 1: yes; -1: no; 0: not known yet */
};

/* The result of the last look(). */
extern struct proc *procs;
extern size_t proc_count;

/* Scans /proc and marks our descendants, except the children that `skip` names (NULL: none) and their descendants. False without /proc. */
bool look(bool (*skip)(pid_t pid));
/* Compares two processes, for qsort() and bsearch(). */
int by_pid(const void *a, const void *b);
/* Whether exactly this process still exists, possibly as a zombie. */
bool is_there(const struct proc *seen);
/* Checks in a child whether pidfds work: Android's filter may kill a process that opens one. */
void probe_pidfd(void);
/* Signals exactly this process: a pidfd, if available, pins it while its start time is read again. */
void signal_proc(const struct proc *seen, int number);
