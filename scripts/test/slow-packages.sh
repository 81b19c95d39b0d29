#!/bin/sh
# Installs the packages of the slow suites, the docs and some drills (test/slow/package-lock.json). It is quick if they are installed.
set -e
cd "$(dirname "$0")/../../test/slow"
installed=node_modules/.package-lock.json
[ -e "$installed" ] && [ ! package-lock.json -nt "$installed" ] && exit 0
npm ci --ignore-scripts --no-audit --no-fund
touch "$installed"
