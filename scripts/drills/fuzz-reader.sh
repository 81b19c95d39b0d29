#!/bin/sh
# What the fuzz workflow runs: installs Jazzer.js, then fuzzes one reader for ten minutes: sh scripts/drills/fuzz-reader.sh READER
set -eu
npm ci
npm install --no-save --prefix "$HOME/.cache/shellphone-drills/jazzer" @jazzer.js/core@4.0.0
npx --no-install tsx scripts/drills/drill-fuzz.ts 600 "$1"
