#pragma once
#include "request.h"

/* The run that is on. */
extern struct run {
  bool on, told_exit, empty, reply, floods, terminal;
  int count, note, in, out, err; /* our ends of the pipes; -1: closed */
  int32_t window;
  char *in_data;               /* stdin that the pipe did not take yet, at most PIECE; NULL: none */
  size_t in_at, in_len;
  int64_t limit[LIMITS], grace_ms, time_up, watch, pace, past_ms, used_ms, lost_ms; /* lost_ms: CPU time that nobody waited for */
} run;
/* No other run is taken. */
extern bool leaves;
/* So long may what is to be said wait for company; 0: no longer. */
extern int64_t say_by;

/* A frame of numbers that is sent at once, and one that waits a moment for others. */
void say(uint8_t type, const int32_t *numbers, int count);
void say_later(uint8_t type, const int32_t *numbers, int count);

/* pipes.c */
void stop_stdin(void);
void stop_output(int *fd);
/* Reads a pipe once, at most `most` bytes; how many came. */
int read_pipe(int *fd, uint8_t type, int most);
/* Reads what is in a pipe or a terminal now, beyond the window if need be, and its end: what the shell wrote goes before the news of its exit. */
void read_rest(int *fd, uint8_t type);
void write_stdin(void);
bool make_pipe(int ends[2], int ours);

/* watch.c */
void begin_watch(int64_t now);
/* Counts the run's processes and CPU time, and begins its end where they are beyond its limits. */
void watch_limits(void);
/* A sign of life of the run, output or an orphan: it is looked at soon again. */
void watch_soon(int64_t now);

/* orders.c: takes every whole frame that has come. What is no frame ends this process, and so the launcher. */
void take_frames(void);

/* reaper.c */
void start_run(struct request *a);
/* Answers who asked for the end of the tree: how many it were, and who is left. */
void tell_ended(bool gave_up);
