/* watch: limits that only a whole tree can exceed: how many processes, and their CPU time together. The kernel tells nobody, so one looks. */
#include "ending.h"
#include "run.h"
#include "tree.h"
#include <sys/resource.h>
#include <unistd.h>

#define FIRST_WATCH_MS 20
#define WATCH_MS 100           /* so often where something moves … */
#define QUIET_WATCH_MS 2000    /* … and ever less until so often, where nothing does */

/* What the children took that were waited for, of all runs until now. */
static int64_t past_ms(void) {
  struct rusage past;
  getrusage(RUSAGE_CHILDREN, &past);
  return (past.ru_utime.tv_sec + past.ru_stime.tv_sec) * 1000LL + (past.ru_utime.tv_usec + past.ru_stime.tv_usec) / 1000;
}

void begin_watch(int64_t now) {
  bool cpu = run.limit[CPU] != NONE;
  run.watch = cpu || run.limit[PROCESSES] != NONE ? now + FIRST_WATCH_MS : INT64_MAX;
  run.pace = WATCH_MS, run.past_ms = cpu ? past_ms() : 0;
}

void watch_limits(void) {
  int32_t pids[MAX_LISTED];
  int count = list_members(pids) + !shell.reaped;
  uint64_t ticks = 0, hz = (uint64_t)sysconf(_SC_CLK_TCK);
  for (size_t i = 0; i < proc_count; i++) if (procs[i].member == 1) ticks += procs[i].ticks;
  int64_t ms = (int64_t)(ticks * 1000 / hz) + past_ms() - run.past_ms;
  if (run.limit[PROCESSES] != NONE && count > run.limit[PROCESSES]) run.note = NOTE_PROCESSES;
  else if (run.limit[CPU] != NONE && ms / 1000.0 > run.limit[CPU] + 0.2) run.note = NOTE_CPU; /* one process alone: the kernel is first */
  if (run.note) begin_ending(SIGKILL, KILL_MS);
  bool moves = count != run.count || ms - run.used_ms > 10 || (run.limit[PROCESSES] != NONE && count * 2 > run.limit[PROCESSES]);
  run.count = count, run.used_ms = ms;
  run.pace = moves ? WATCH_MS : run.pace * 2 < QUIET_WATCH_MS ? run.pace * 2 : QUIET_WATCH_MS;
  run.watch = now_ms() + run.pace;
}

void watch_soon(int64_t now) {
  if (run.watch == INT64_MAX || run.watch <= now + WATCH_MS) return;
  run.watch = now + WATCH_MS;
  run.pace = WATCH_MS;
}
