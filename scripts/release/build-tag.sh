#!/bin/sh
# Builds the release of a tag from a clean checkout on Debian 12, as root: sh scripts/release/build-tag.sh v1.2.3. Writes dist/release and
# dist/release-notes.md.
set -eu
git config --global --add safe.directory "$PWD" # a container's checkout belongs to another user
sh scripts/test/apt-packages.sh release
npm ci
npm run --silent release -- check "$1"
npm run --silent release
npm run --silent release -- notes >dist/release-notes.md
