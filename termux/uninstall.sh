#!/bin/sh
# Removes the service, its log, the boot script, the manual pages and the completion of bash that install.sh created, and the program if install.sh
# copied it. With --purge, also removes $SHELLPHONE_HOME with its token, settings, history and outputs, and the list of paired phones.
set -eu
usage='Usage: sh uninstall.sh [--purge]

Remove the service, its log, its boot script, the manual pages, the completion of bash, and the program if install.sh copied it.

Options:
  --purge     Also delete the home (token, settings, history, outputs) and the paired phones
  -h, --help  Show this help'
for option; do
  case $option in
    -h | --help) printf '%s\n' "$usage"; exit 0 ;;
    --purge) ;;
    *) printf 'Error: unknown option %s; list the options with sh uninstall.sh --help\n' "$option" >&2; exit 2 ;;
  esac
done
tree=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
node "$tree/dist/main.js" setup --undo --yes "$@"
share=${XDG_DATA_HOME:-$HOME/.local/share}
if [ -n "${TERMUX_VERSION:-}" ]; then share=$PREFIX/share; fi
rm -f "$share"/man/man1/shellphone.1 "$share"/man/man1/shellphone-*.1 "$share/bash-completion/completions/shellphone"
case $tree in
  */shellphone/versions/*)
    top=${tree%/versions/*}
    rm -rf "$top"
    for program in "${PREFIX:-/nowhere}/bin/shellphone" "$HOME/.local/bin/shellphone"; do
      if grep -q "$top/current" "$program" 2>/dev/null; then rm -f "$program"; fi
    done
    echo "$top was removed."
    ;;
esac
