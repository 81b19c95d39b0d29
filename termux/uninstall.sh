#!/bin/sh
# Removes the service, its log and the boot script that install.sh created. With --purge, also removes $SHELLPHONE_HOME with its token, settings, history
# and outputs.
set -eu
tree=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
exec node "$tree/dist/main.js" setup --undo --yes "$@"
