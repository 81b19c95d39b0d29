#!/bin/sh
# Runs all drills, one after the other. Each drill prints its figures and fails if a bound is exceeded or, in drill-mutants.ts, if a mutant survives.
cd "$(dirname "$0")/../.." || exit 1
sh scripts/test/apt-packages.sh cross
sh scripts/test/slow-packages.sh
npm run --silent build
failed=0
for drill in scripts/drills/drill-*.ts; do
  echo "== $drill"
  npx --no-install tsx "$drill" || failed=1
done
exit $failed
