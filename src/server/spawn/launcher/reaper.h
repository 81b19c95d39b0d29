#pragma once
#include "launcher.h"

/*
 * The reaper's main loop, called after the fork: handles one run after another that the service requests on `slot`.
 * `busy` is shared with the launcher: 0 while every request read from the slot has been answered in full.
 */
_Noreturn void reap_runs(int slot, volatile int *busy, pid_t launcher, int null);
