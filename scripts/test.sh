#!/bin/sh
# The tests: what Debian packages they need, lint, types, build, tap (within an hour); ends with one line "N passed, N failed".
set -e
cd "$(dirname "$0")/.."
sh scripts/apt-packages.sh
npm run --silent lint
npm run --silent typecheck
npm run --silent build
set +e
timeout --kill-after=60 3600 npx --no-install tap --reporter=terse --output-file=.tap/results.tap
status=$?
exec node scripts/summary.mjs .tap/results.tap $status
