#!/bin/sh
# What the fuzz workflow runs for the launcher's parser: builds the fuzzer in ClusterFuzzLite's image, then runs it for ten minutes.
set -eu
cd "$(dirname "$0")/../.."
in_image() { docker run --rm --volume "$PWD/out:/out" --env FUZZING_ENGINE=libfuzzer --env SANITIZER=address --env ARCHITECTURE=x86_64 "$@"; }
docker build --tag fuzz --file .github/clusterfuzzlite/Dockerfile .
in_image --env FUZZING_LANGUAGE=c fuzz compile
in_image --env RUN_FUZZER_MODE=batch gcr.io/oss-fuzz-base/base-runner run_fuzzer launcher -max_total_time=600
