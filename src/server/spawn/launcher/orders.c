/* orders: handles the service's frames. Each handler returns NULL, or what is wrong with the frame. It ignores a frame for a run that is over. */
#include "ending.h"
#include "frames.h"
#include "run.h"
#include "tree.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *take_spawn(const struct frame *f) {
  struct request a;
  if (run.on) return "spawn: another run is still active";
  const char *wrong = read_request(f->payload, f->size, &a);
  if (!wrong) start_run(&a);
  free_request(&a);
  return wrong;
}

static const char *take_stdin(const struct frame *f) {
  if (f->size < 1 || f->size > PIECE) return "stdin: a piece of the wrong size";
  if (!run.on) return NULL;
  if (run.in_data) return "stdin: a piece arrived before the last one was taken";
  if (run.in < 0) return say(TAKEN, (const int32_t[]){0}, 1), NULL;
  memcpy(run.in_data = more(NULL, f->size), f->payload, f->size);
  run.in_at = 0;
  run.in_len = f->size;
  write_stdin();
  return NULL;
}

/* Signals the shell's group until the shell is reaped, then the whole tree. In a terminal, signals the foreground group, as a key press would. */
static void take_signal(int number) {
  if (run.empty) return;
  pid_t front = run.terminal && run.out >= 0 ? tcgetpgrp(run.out) : -1;
  if (!shell.reaped && (front <= 0 || front == shell.pid)) kill(-shell.pid, number);
  else if (look(NULL)) for (size_t i = 0; i < proc_count; i++) {
    if (procs[i].member == 1 && (front <= 0 || procs[i].group == front)) signal_proc(&procs[i], number);
  }
}

static void take_window(uint32_t window) {
  if (run.terminal && run.out >= 0) set_window(run.out, window);
}

static void tell_left(void) {
  int32_t pids[MAX_LISTED];
  int count = run.empty ? 0 : list_members(pids);
  if (count == 0 && !run.empty) count = list_members(pids); /* a process may have changed its parent during the scan */
  say(LEFT_LIST, pids, count < MAX_LISTED ? count : MAX_LISTED);
}

static void take_end(int grace_ms) {
  run.reply = true;
  if (run.empty) tell_ended(false);
  else if (grace_ms == 0 && ending != SIGKILL) begin_ending(SIGKILL, KILL_MS);
  else if (!ending) begin_ending(run.terminal ? SIGHUP : SIGTERM, grace_ms);
  else if (ending != SIGKILL) hasten_ending(grace_ms);
}

static const char *take_frame(const struct frame *f) {
  if (f->type == SPAWN) return take_spawn(f);
  if (f->type == STDIN) return take_stdin(f);
  if (f->size != (f->type == SIGNAL || f->type == END || f->type == CREDIT || f->type == WINDOW_SIZE ? 4 : 0)) return "a payload of the wrong size";
  int32_t number = f->size ? (int32_t)get32(f->payload) : 0;
  if (f->type == CREDIT && (number < 1 || (run.on && number > WINDOW - run.window))) return "credit: more bytes than were sent";
  if (f->type == SIGNAL && (number < 1 || number > 64)) return "signal: no such number";
  if (f->type == END && number < 0) return "end: a negative grace period";
  if (f->type == WINDOW_SIZE && !is_window((uint32_t)number)) return "window: without rows or columns";
  if (f->type < STDIN_END || f->type > WINDOW_SIZE) return "an unknown type";
  if (f->type == LEAVE && !run.on) leaves = true;
  if (!run.on) return NULL;
  if (f->type == CREDIT) run.window += number;
  if (f->type == STDIN_END || f->type == DETACH) stop_stdin();
  if (f->type == DETACH) stop_output(&run.out), stop_output(&run.err);
  if (f->type == SIGNAL) take_signal(number);
  if (f->type == LEFT) tell_left();
  if (f->type == END) take_end(number);
  if (f->type == WINDOW_SIZE) take_window((uint32_t)number);
  return NULL;
}

void take_frames(void) {
  struct frame f;
  size_t at = 0;
  int found;
  const char *wrong = NULL;
  while (!wrong && (found = next_frame(&at, &f)) != 0) wrong = found < 0 ? "a malformed header" : take_frame(&f);
  drop_input(at);
  if (!wrong) return;
  fprintf(stderr, "launcher: protocol error: %s\n", wrong);
  _exit(WRONG_INPUT);
}
