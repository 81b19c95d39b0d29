/* The real reaper, with replacements for clone, kill, wait and exit. It registers a run and creates its pipes, but no process. */
#include "../../src/server/spawn/launcher/launcher.h"
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static jmp_buf over;
static _Bool ended; /* whether the fake waitpid reports that the shell has ended */

static int fake_kill(pid_t pid, int number) { return (void)pid, (void)number, 0; }
static _Noreturn void fake_exit(int code) { (void)code, longjmp(over, 1); }
static pid_t fake_waitpid(pid_t pid, int *status, int flags);
#define clone_shell fake_shell
#define kill fake_kill
#define _exit fake_exit
#define waitpid fake_waitpid
#define fprintf(...) ((void)0) /* errors about the input would fill the log */
#include "../../src/server/spawn/launcher/orders.c"
#include "../../src/server/spawn/launcher/reaper.c"
#undef clone_shell
#undef fprintf
#undef waitpid
#undef _exit

pid_t fake_shell(const struct start *start) { return (void)start, 4194305; }

static pid_t fake_waitpid(pid_t pid, int *status, int flags) {
  (void)pid, (void)flags;
  if (!ended) return 0;
  if (shell.reaped) return errno = ECHILD, -1;
  return *status = 0, shell.pid;
}

static unsigned long long total, commands;
static void report(void) { fprintf(stderr, "fuzzed with %llu bytes, %llu runs were started\n", total, commands); }

static void end_run(void) {
  free(run.in_data);
  shut(&run.in), shut(&run.out), shut(&run.err);
  memset(&run, 0, sizeof run);
  run.in = run.out = run.err = -1;
  channel.in.len = channel.out.at = channel.out.len = 0;
  ended = alone = orphaned = leaves = false;
  forget_ended();
}

/* The part of the event loop that does not block. */
static void take_turn(void) {
  _Bool was_on = run.on;
  take_frames();
  commands += run.on && !was_on;
  if (run.on && run.out >= 0 && run.window > 0) read_pipe(&run.out, STDOUT, run.window);
  if (run.on && run.in >= 0 && run.in_data) write_stdin();
  if (run.on) keep_time();
  if (run.on) tell_news();
  if (run.window > WINDOW || channel.out.len > (64u << 20)) abort();
}

/* Writes a request for `sh` without a sandbox as a frame. Returns its length. */
static size_t put_spawn(char *to) {
  static const char lists[] = "\2\0\0\0/\0" "\10\0\0\0/bin/sh\0" "\4\0\0\0A=b";
  const size_t fixed = 8 + 8 * (LIMITS + 2) + 16, size = fixed + sizeof lists;
  memset(to, 0, HEADER + size);
  put32(to, (uint32_t)size), put32(to + 4, SPAWN);
  char *p = to + HEADER;
  p[0] = 1, p[2] = 1;
  for (int i = 0; i < LIMITS + 1; i++) p[4 + 8 * i + 7] = (char)0x80;
  put32(p + fixed - 16, 1), put32(p + fixed - 12, 1);
  memcpy(p + fixed, lists, sizeof lists);
  return HEADER + size;
}

/* Tests one slot. The input also determines the sizes of the pieces and when the shell ends. Its first byte determines whether a run is active. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static int busy, begun;
  if (!begun++) signal(SIGPIPE, SIG_IGN), atexit(report), run.in = run.out = run.err = -1;
  is_busy = &busy;
  total += size;
  channel.in.data = more(channel.in.data, channel.in.room = size + 512);
  if (size && bytes[0] & 1) channel.in.len = put_spawn(channel.in.data);
  for (volatile size_t at = 0; at < size;) {
    size_t piece = 1 + bytes[at] * 16u;
    if (piece > size - at) piece = size - at;
    memcpy(channel.in.data + channel.in.len, bytes + at, piece);
    channel.in.len += piece;
    ended = bytes[at] % 8 == 7;
    at += piece;
    if (setjmp(over)) break;
    take_turn();
  }
  end_run();
  return 0;
}
