#pragma once
#include "launcher.h"

#define MAX_LISTED 1000 /* pids named in one message */

/* The shell of the run that is on. */
extern struct shell { pid_t pid; bool reaped; int status; } shell;
/* The signal that its tree is being ended with; 0: it is not. */
extern int ending;

/* Another run: nobody has been signalled yet. */
void forget_ended(void);
/* Signals the whole tree, again and again until it is empty or `ms` are over. */
void begin_ending(int number, int64_t ms);
/* SIGKILL comes after so many ms at the latest. */
void hasten_ending(int64_t ms);
/* One step; false when the time after SIGKILL is over and some of the tree is left. */
bool go_on_ending(void);
/* When the next step is due. */
int64_t ending_wakes(void);
/* The living members beside the shell: how many, and the pids of up to MAX_LISTED. */
int list_members(int32_t *pids);
/* How many processes beside the shell were signalled. */
int count_signalled(void);
