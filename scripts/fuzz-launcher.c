/* The launcher as it is, but for fork, kill and the word to a reaper: a run is registered and its pipes are made, but no process is. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
static pid_t fake_fork(void) { return 4194305; }
static int fake_kill(pid_t pid, int number) { (void)pid, (void)number; return 0; }
static ssize_t fake_sendmsg(int fd, const struct msghdr *message, int flags) { (void)fd, (void)message, (void)flags; return 0; }
#define fork fake_fork
#define sendmsg fake_sendmsg
#define kill fake_kill
#define main launcher_main
#include "../src/spawn/launcher/main.c"
#undef main

static unsigned long long total, commands;
static void report(void) { fprintf(stderr, "fuzzed with %llu bytes, %llu runs were started\n", total, commands); }

/* One connection: the bytes come in pieces whose sizes they say themselves; the first byte says whether a hello goes before them. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static const char hello[] = "\4\0\0\0" "\0\0\0\0" "\1\0\0\0" "\1\0\0\0";
  static int begun;
  if (!begun++) signal(SIGPIPE, SIG_IGN), atexit(report);
  total += size;
  const char *wrong = NULL;
  in.len = out.at = out.len = 0;
  greeted = strangers = false;
  last_id = 0;
  in.data = more(in.data, in.room = size + 64);
  if (size && bytes[0] & 1) memcpy(in.data, hello, in.len = sizeof hello - 1);
  for (size_t at = 1; at < size && !wrong;) {
    size_t piece = 1 + bytes[at] * 16u;
    if (piece > size - at) piece = size - at;
    memcpy(in.data + in.len, bytes + at, piece);
    in.len += piece;
    at += piece;
    wrong = take_frames();
    for (unsigned i = 0; i < run_count; i++) {
      if (runs[i].out >= 0 && runs[i].window > 0) read_pipe(&runs[i], &runs[i].out, STDOUT, runs[i].window);
      if (runs[i].in >= 0 && runs[i].in_data) write_stdin(&runs[i]);
      if (runs[i].reaper.fd >= 0 && i % 2) hear_reaper(&runs[i]);
      if (runs[i].id > last_id || runs[i].window > WINDOW) abort();
    }
    if (out.len > (64u << 20)) abort();
  }
  commands += run_count;
  for (unsigned i = 0; i < run_count; i++) stop_stdin(&runs[i]), drop_run(&runs[i]);
  run_count = 0;
  return 0;
}
