#!/bin/sh
# Removes what install.sh created: service, log, boot script. With --purge also $SHELLPHONE_HOME: token, settings, history, outputs.
set -eu
tree=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
exec node "$tree/dist/main.js" setup --undo --yes "$@"
