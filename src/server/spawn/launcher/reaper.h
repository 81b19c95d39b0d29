#pragma once
#include "launcher.h"

/*
 * A reaper's whole life, which begins after the fork: runs, one after another, that the service asks for on `slot`.
 * `busy` is shared with the launcher: 0 while nothing was taken from the slot that is not answered in full.
 */
_Noreturn void reap_runs(int slot, volatile int *busy, pid_t launcher, int null);
