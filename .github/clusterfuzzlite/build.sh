#!/bin/bash -eu
# Builds the fuzzer and its first inputs where ClusterFuzzLite expects them.
sh scripts/drills/fuzz-launcher.sh "$OUT/launcher"
inputs=$(mktemp -d)
while read -r input; do base64 -d <<<"$input" >"$inputs/$(md5sum <<<"$input" | cut -c1-32)"; done <scripts/drills/corpora/launcher.txt
zip -jqr "$OUT/launcher_seed_corpus.zip" "$inputs"
