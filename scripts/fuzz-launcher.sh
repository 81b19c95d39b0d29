#!/bin/sh
# Feeds the launcher's frame parser with random bytes under libFuzzer, AddressSanitizer and UBSan (clang, Debian: libclang-rt-dev comes with it).
# Ends after so many seconds, and fails when fewer than 5 million bytes went through, or at the first crash.
#
#     scripts/fuzz-launcher.sh [seconds=60]
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/corpus"

# The launcher as it is, but for fork, kill and the word to a keeper: a run is registered and its pipes are made, but no process is.
cat >"$folder/fuzz.c" <<'C'
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
#include "src/spawn/launcher.c"
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
      if (runs[i].keeper.fd >= 0 && i % 2) hear_keeper(&runs[i]);
      if (runs[i].id > last_id || runs[i].window > WINDOW) abort();
    }
    if (out.len > (64u << 20)) abort();
  }
  commands += run_count;
  for (unsigned i = 0; i < run_count; i++) stop_stdin(&runs[i]), drop_run(&runs[i]);
  run_count = 0;
  return 0;
}
C

# Seeds: a hello, a spawn in each box, and one of everything that can be said about a run.
node --input-type=module - "$folder/corpus" <<'JS'
import { writeFileSync } from 'node:fs'
const [folder] = process.argv.slice(2)
const u32 = (...values) => Buffer.from(Uint32Array.from(values).buffer)
const text = (value) => Buffer.concat([u32(value.length + 1), Buffer.from(`${value}\0`)])
const frame = (run, type, payload = Buffer.alloc(0)) => Buffer.concat([u32(payload.length, run, type), payload])
const spawn = (run, box, stdin) => {
  const limits = Buffer.alloc(56)
  for (let i = 0; i < 7; i++) limits.writeBigInt64LE(-(2n ** 63n), i * 8)
  const lists = ['/', '/bin/sh', '-c', 'true', 'A=b', '/tmp', '/root'].map(text)
  return frame(run, 2, Buffer.concat([Buffer.from([stdin, box, 1, 0]), limits, u32(3, 1, 1, 1), ...lists]))
}
const about = (run) => Buffer.concat([frame(run, 3, Buffer.from('x')), frame(run, 7, u32(15)), frame(run, 8), frame(run, 9, u32(0)), frame(run, 4), frame(run, 6)])
const seeds = [0, 1, 2].map((box) => Buffer.concat([Buffer.from([1]), spawn(1, box, 1), about(1), spawn(2, box, 0), about(2)]))
for (const [index, seed] of [...seeds, Buffer.concat([Buffer.from([1]), spawn(1, 0, 1), frame(1, 5, u32(1))])].entries()) {
  writeFileSync(`${folder}/${index}`, seed)
}
JS
clang -g -O1 -I. -Wno-unused-function -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -o "$folder/fuzz" "$folder/fuzz.c"
cd "$folder"
ASAN_OPTIONS=detect_leaks=0 ./fuzz -max_total_time="$seconds" -max_len=4096 -len_control=0 -print_final_stats=1 corpus >fuzz.log 2>&1 || {
  tail -60 fuzz.log
  exit 1
}
grep -E '^fuzzed|number_of_executed|cov:' fuzz.log | tail -3
bytes=$(sed -n 's/^fuzzed with \([0-9]*\) bytes.*/\1/p' fuzz.log)
[ "$bytes" -ge 5000000 ] || { echo "fewer than 5 million bytes"; exit 1; }
