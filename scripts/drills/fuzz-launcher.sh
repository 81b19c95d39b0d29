#!/bin/sh
# Feeds the reaper's frame parser with random bytes under libFuzzer, AddressSanitizer and UBSan (needs clang; on Debian also libclang-rt-dev).
# Stops after the given seconds; fails at the first crash, or if it processed fewer than 5 million bytes.
#
#     scripts/drills/fuzz-launcher.sh [seconds=60]
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-60}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/corpus"

# Seeds: a spawn request in each sandbox, and one of each message about a run.
node --input-type=module - "$folder/corpus" <<'JS'
import { writeFileSync } from 'node:fs'
const [folder] = process.argv.slice(2)
const u32 = (...values) => Buffer.from(Uint32Array.from(values).buffer)
const text = (value) => Buffer.concat([u32(value.length + 1), Buffer.from(`${value}\0`)])
const frame = (type, payload = Buffer.alloc(0)) => Buffer.concat([u32(payload.length, type), payload])
const spawn = (sandbox, stdin, window = 0) => {
  const limits = Buffer.alloc(72)
  for (let i = 0; i < 9; i++) limits.writeBigInt64LE(i === 8 ? 0n : -(2n ** 63n), i * 8)
  const lists = ['/', '/bin/sh', '-c', 'true', 'A=b', '/tmp', '/root'].map(text)
  return frame(1, Buffer.concat([Buffer.from([stdin, sandbox, 1, 0]), limits, u32(window, 3, 1, 1, 1), ...lists]))
}
const about = () => Buffer.concat([frame(2, Buffer.from('x')), frame(6, u32(15)), frame(7), frame(8, u32(0)), frame(3), frame(5)])
const seeds = [0, 1, 2].map((sandbox) => Buffer.concat([spawn(sandbox, 1), about()]))
const whole = [spawn(0, 1), spawn(0, 0), Buffer.concat([spawn(0, 1), frame(4, u32(1)), frame(9)]), Buffer.concat([spawn(0, 1, 0x500018), frame(10, u32(0x500018)), about()])]
for (const [index, seed] of [...seeds, ...whole].entries()) {
  writeFileSync(`${folder}/${index}`, seed)
}
JS
parts=$(find src/server/spawn/launcher -name '*.c' ! -name main.c ! -name orders.c ! -name reaper.c)
# shellcheck disable=SC2086 # each word is a file
clang -g -O1 -Wno-unused-function -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -o "$folder/fuzz" scripts/drills/fuzz-launcher.c $parts
cd "$folder"
ASAN_OPTIONS=detect_leaks=0 ./fuzz -max_total_time="$seconds" -max_len=4096 -len_control=0 -print_final_stats=1 corpus >fuzz.log 2>&1 || {
  tail -60 fuzz.log
  exit 1
}
grep -E '^fuzzed|number_of_executed|cov:' fuzz.log | tail -3
bytes=$(sed -n 's/^fuzzed with \([0-9]*\) bytes.*/\1/p' fuzz.log)
[ "$bytes" -ge 5000000 ] || { echo "fewer than 5 million bytes"; exit 1; }
