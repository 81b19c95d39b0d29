/* watch: limits the number of processes in a whole tree and their total CPU time. The kernel does not report these, so they are polled. */
#include "ending.h"
#include "run.h"
#include "tree.h"
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define FIRST_WATCH_MS 20
#define WATCH_MS 100           /* interval while something changes */
#define QUIET_WATCH_MS 2000    /* longest interval while nothing changes; it doubles up to this */

/* CPU time of the children that were waited for, in all runs so far. */
static int64_t past_ms(void) {
  struct rusage past;
  getrusage(RUSAGE_CHILDREN, &past);
  return (past.ru_utime.tv_sec + past.ru_stime.tv_sec) * 1000LL + (past.ru_utime.tv_usec + past.ru_stime.tv_usec) / 1000;
}

static int64_t to_ms(uint64_t ticks) { return (int64_t)(ticks * 1000 / (uint64_t)sysconf(_SC_CLK_TCK)); }

/* The members that the last scan found, and the CPU time of the reaper's own children at that time. */
static struct proc *before;
static size_t before_count, before_room;
static int64_t before_past_ms;
/* CPU time of processes that have exited without being waited for, until the next scan confirms it. */
static int64_t missing_ms;

static void remember(int64_t past) {
  if (proc_count > before_room) before = more(before, (before_room = proc_count) * sizeof *before);
  before_count = 0;
  for (size_t i = 0; i < proc_count; i++) if (procs[i].member == 1) before[before_count++] = procs[i];
  if (before_count) qsort(before, before_count, sizeof *before, by_pid);
  before_past_ms = past;
}

/* If a parent ignores SIGCHLD, the kernel drops the CPU time of its children. So this checks that the time of each exited process, as last
   seen, has been added to that of a process that waited for it. Time that is missing in two scans is lost. Ticks are rounded down, so the
   result is never too high. */
static int64_t newly_lost_ms(int64_t past) {
  int64_t gone = 0, waited = past - before_past_ms;
  for (size_t i = 0; before_count && i < proc_count; i++) {
    struct proc *was = bsearch(&procs[i], before, before_count, sizeof *before, by_pid);
    if (!was || was->start != procs[i].start) continue;
    waited += to_ms(procs[i].waited - was->waited);
    was->member = 0;
  }
  for (size_t i = 0; i < before_count; i++) {
    uint64_t ticks = before[i].ticks + before[i].waited;
    if (before[i].member && ticks > 2 && !is_there(&before[i])) gone += to_ms(ticks - 2);
  }
  int64_t missing = gone - waited, lost = missing < 0 ? missing_ms + missing : missing_ms;
  missing_ms = missing > 0 ? missing : 0;
  return lost > 0 ? lost : 0;
}

void begin_watch(int64_t now) {
  bool cpu = run.limit[LIMIT_CPU_SECONDS] != NONE;
  run.watch = cpu || run.limit[LIMIT_PROCESSES] != NONE ? now + FIRST_WATCH_MS : INT64_MAX;
  run.pace = WATCH_MS, run.past_ms = cpu ? past_ms() : 0;
  before_count = 0, before_past_ms = run.past_ms, missing_ms = 0;
}

void watch_limits(void) {
  int32_t pids[MAX_LISTED];
  int count = list_members(pids) + !shell.reaped;
  uint64_t ticks = 0;
  int64_t past = past_ms();
  for (size_t i = 0; i < proc_count; i++) if (procs[i].member == 1) ticks += procs[i].ticks + procs[i].waited;
  run.lost_ms += newly_lost_ms(past);
  remember(past);
  int64_t ms = to_ms(ticks) + past - run.past_ms + run.lost_ms;
  if (run.limit[LIMIT_PROCESSES] != NONE && count > run.limit[LIMIT_PROCESSES]) run.note = NOTE_PROCESSES;
  else if (run.limit[LIMIT_CPU_SECONDS] != NONE && ms / 1000.0 > run.limit[LIMIT_CPU_SECONDS] + 0.2) run.note = NOTE_CPU; /* margin: for a single process the kernel acts first */
  if (run.note) begin_ending(SIGKILL, KILL_MS);
  bool moves = count != run.count || ms - run.used_ms > 10 || (run.limit[LIMIT_PROCESSES] != NONE && count * 2 > run.limit[LIMIT_PROCESSES]);
  run.count = count, run.used_ms = ms;
  run.pace = moves ? WATCH_MS : run.pace * 2 < QUIET_WATCH_MS ? run.pace * 2 : QUIET_WATCH_MS;
  run.watch = now_ms() + run.pace;
}

void watch_soon(int64_t now) {
  if (run.watch == INT64_MAX || run.watch <= now + WATCH_MS) return;
  run.watch = now + WATCH_MS;
  run.pace = WATCH_MS;
}
