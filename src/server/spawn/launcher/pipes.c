/* pipes: transfers a run's stdin and output, through pipes or a terminal. */
#include "run.h"
#include "frames.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define CHUNK (PIECE - HEADER) /* output in one frame; Node reads the frame, with its header, in one read */
#define COMPANY_MS 5
#define MOST_IN_TERMINAL (64 << 10) /* more than the kernel buffers; FIONREAD counts only what has arrived */

int64_t say_by;

void say(uint8_t type, const int32_t *numbers, int count) {
  send_frame(type, numbers, count);
  say_by = 0;
}

void say_later(uint8_t type, const int32_t *numbers, int count) {
  if (channel.out.len == 0) say_by = now_ms() + COMPANY_MS;
  send_frame(type, numbers, count);
}

bool make_pipe(int ends[2], int ours) {
  return pipe2(ends, O_CLOEXEC) == 0 && fcntl(ends[ours], F_SETFL, O_NONBLOCK) == 0;
}

void stop_stdin(void) {
  if (run.in_data) say(TAKEN, (const int32_t[]){0}, 1);
  free(run.in_data);
  run.in_data = NULL;
  shut(&run.in);
}

void stop_output(int *fd) {
  if (*fd < 0) return;
  shut(fd);
  if (run.out < 0 && run.err < 0) say_later(CLOSED, NULL, 0);
}

int read_pipe(int *fd, uint8_t type, int most) {
  char *p = frame_room(CHUNK);
  ssize_t n = read(*fd, p, most < (int)CHUNK ? (size_t)most : CHUNK);
  if (n == CHUNK && !run.floods) run.floods = true, fcntl(*fd, F_SETPIPE_SZ, 256 << 10); /* fewer reads; a failure does not matter */
  if (n > 0) frame_done(type, (size_t)n), run.window -= (int32_t)n, say_by = 0;
  else if (n == 0 || (errno != EAGAIN && errno != EINTR)) stop_output(fd);
  return n > 0 ? (int)n : 0;
}

void read_rest(int *fd, uint8_t type) {
  int left = MOST_IN_TERMINAL;
  if (*fd < 0 || (!run.terminal && ioctl(*fd, FIONREAD, &left) != 0)) return;
  for (int n = 1; n > 0 && left >= 0; left -= n) n = read_pipe(fd, type, left ? left : 1);
}

void write_stdin(void) {
  while (run.in_data && run.in_at < run.in_len) {
    ssize_t n = write(run.in, run.in_data + run.in_at, run.in_len - run.in_at);
    if (n > 0) run.in_at += (size_t)n;
    else if (errno == EAGAIN) return;
    else if (errno != EINTR) return stop_stdin();
  }
  if (!run.in_data) return stop_stdin(); /* without data, stdin is polled only for errors: nothing reads it any more */
  free(run.in_data);
  run.in_data = NULL;
  say(TAKEN, (const int32_t[]){1}, 1);
}
