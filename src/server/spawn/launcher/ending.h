#pragma once
#include "launcher.h"

#define MAX_LISTED 1000 /* pids named in one message */

/* The shell of the current run. */
extern struct shell { pid_t pid; bool reaped; int status; } shell;
/* The signal that is killing its tree; 0: the tree is not being killed. */
extern int ending;

/* Call for a new run: forgets the processes that were signalled in the last run. */
void forget_ended(void);
/* Starts to signal the whole tree, repeatedly until it is empty or `ms` have passed. */
void begin_ending(int number, int64_t ms);
/* Sends SIGKILL after `ms` at the latest. */
void hasten_ending(int64_t ms);
/* Takes the next step if it is due. Returns false if the time after SIGKILL is over and processes are left. */
bool go_on_ending(void);
/* When the next step is due. */
int64_t ending_wakes(void);
/* Returns the number of living members without the shell and writes up to MAX_LISTED of their pids. */
int list_members(int32_t *pids);
/* The number of processes signalled, without the shell. */
int count_signalled(void);
