#!/bin/sh
# Builds the fuzzer of the launcher's parser: sh scripts/drills/fuzz-launcher.sh OUTPUT. ClusterFuzzLite sets CC, CFLAGS and LIB_FUZZING_ENGINE;
# without them, it uses clang with libFuzzer, AddressSanitizer and UBSan.
set -eu
cd "$(dirname "$0")/../.."
parts=$(find src/server/spawn/launcher -name '*.c' ! -name main.c ! -name orders.c ! -name reaper.c)
# shellcheck disable=SC2086 # each word is a file or an option
${CC:-clang} ${CFLAGS:--g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all} -Wno-unused-function -o "$1" \
  scripts/drills/fuzz-launcher.c $parts ${LIB_FUZZING_ENGINE:--fsanitize=fuzzer}
