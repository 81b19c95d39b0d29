/* ending: kills a run's tree, even one that keeps forking: SIGTERM, then SIGKILL at the deadline, for processes forked in the meantime too. */
#include "ending.h"
#include "tree.h"
#include <string.h>

#define MAX_KNOWN (1u << 14)

struct shell shell;
int ending;

static struct known { pid_t pid; uint64_t start; int signalled; } known[MAX_KNOWN];
static unsigned known_count;
static int64_t deadline, next, step;

/* Remembers a member. Returns NULL if the table is full; the member is then signalled without being remembered. */
static struct known *recall(const struct proc *p) {
  unsigned at = (unsigned)p->pid % MAX_KNOWN;
  while (known[at].pid && (known[at].pid != p->pid || known[at].start != p->start)) at = (at + 1) % MAX_KNOWN;
  if (!known[at].pid) {
    if (known_count >= MAX_KNOWN / 4 * 3) return NULL;
    known[at] = (struct known){p->pid, p->start, 0};
    known_count++;
  }
  return &known[at];
}

int count_signalled(void) { return (int)known_count; }

void forget_ended(void) {
  if (known_count) memset(known, 0, sizeof known);
  known_count = 0;
  ending = 0;
}

int list_members(int32_t *pids) {
  int count = 0;
  look(NULL);
  for (size_t i = 0; i < proc_count; i++) {
    if (procs[i].member != 1 || !procs[i].alive || procs[i].pid == shell.pid) continue;
    if (count < MAX_LISTED) pids[count] = procs[i].pid;
    count++;
  }
  return count;
}

/* Signals every current member once: the shell's group as a whole, the others one by one. Returns true if some were new. */
static bool sweep(int number, bool first) {
  bool fresh = false;
  look(NULL); /* look before the first signal: a killed parent breaks the parent links */
  bool grouped = first && !shell.reaped && kill(-shell.pid, number) == 0;
  for (size_t i = 0; i < proc_count; i++) {
    struct proc *p = &procs[i];
    if (p->member != 1 || !p->alive) continue;
    bool is_shell = p->pid == shell.pid && !shell.reaped;
    struct known *old = is_shell ? NULL : recall(p);
    bool by_group = grouped && p->group == shell.pid;
    /* a process may have left the group (setsid) before the group's signal arrived */
    if (old && (old->signalled == number || (old->signalled == -number && p->group == shell.pid))) continue;
    if (old) old->signalled = by_group ? -number : number;
    fresh |= !is_shell;
    if (is_shell && !(first && !grouped)) continue;
    if (!by_group) signal_proc(p, number);
  }
  return fresh;
}

void begin_ending(int number, int64_t ms) {
  ending = number;
  deadline = now_ms() + ms;
  step = 1;
  sweep(number, true);
  next = now_ms() + step;
}

void hasten_ending(int64_t ms) {
  if (now_ms() + ms < deadline) deadline = now_ms() + ms;
}

bool go_on_ending(void) {
  int64_t now = now_ms();
  if (now >= deadline && ending == SIGKILL) return false;
  if (now >= deadline) begin_ending(SIGKILL, KILL_MS);
  if (now < next) return true;
  step = sweep(ending, false) ? 1 : step * 2 > 50 ? 50 : step * 2;
  next = now_ms() + step;
  return true;
}

int64_t ending_wakes(void) { return next < deadline ? next : deadline; }
