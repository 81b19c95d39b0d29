#pragma once
#include "request.h"

/* The current run. */
extern struct run {
  bool on, told_exit, empty, reply, floods, terminal;
  int count, note, in, out, err; /* our ends of the pipes; -1: closed */
  int state;                   /* the file for the session's state; -1: none */
  int32_t window;
  char *in_data;               /* stdin that the pipe has not accepted yet, at most PIECE bytes; NULL: none */
  size_t in_at, in_len;
  int64_t limit[LIMITS], grace_ms, time_up, watch, pace, past_ms, used_ms, lost_ms; /* lost_ms: CPU time of processes that no parent waited for */
} run;
/* This reaper accepts no more runs. */
extern bool leaves;
/* Deadline for batching frames; 0 sends them now. */
extern int64_t say_by;

/* Queue a frame of numbers: say() sends it now, say_later() waits briefly for others. */
void say(uint8_t type, const int32_t *numbers, int count);
void say_later(uint8_t type, const int32_t *numbers, int count);

/* pipes.c */
void stop_stdin(void);
void stop_output(int *fd);
/* Reads a pipe once, at most `most` bytes; returns how many it read. */
int read_pipe(int *fd, uint8_t type, int most);
/* Reads everything in a pipe or terminal now, even beyond the window, so that the shell's output precedes the message about its exit. */
void read_rest(int *fd, uint8_t type);
void write_stdin(void);
bool make_pipe(int ends[2], int ours);

/* watch.c */
void begin_watch(int64_t now);
/* Counts the run's processes and CPU time, and starts to kill it if they exceed its limits. */
void watch_limits(void);
/* The run was active (output, or an orphan): check it again soon. */
void watch_soon(int64_t now);

/* orders.c: handles every complete frame. A malformed frame ends this process and then the launcher. */
void take_frames(void);

/* reaper.c */
void start_run(struct request *a);
/* Replies to END with the number of processes killed and the pids that survived. */
void tell_ended(bool gave_up);
