#!/bin/sh
# Removes what install.sh made: service, log, boot script. With --purge also $SHELLPHONE_HOME: token, settings, history, outputs.
set -eu

say() { printf '%s\n' "$*"; }
die() { printf 'Error: %s\n' "$*" >&2; exit 1; }

purge=no
for option in "$@"; do
  case "$option" in
    --purge) purge=yes ;;
    -h | --help) say 'sh termux/uninstall.sh [--purge]   --purge: the token, settings, history and outputs too'; exit 0 ;;
    *) die "unknown option: $option" ;;
  esac
done

[ -d "${PREFIX:-/nowhere}/bin" ] || die 'this is for Termux: PREFIX is not set here'
export SVDIR="$PREFIX/var/service" LOGDIR="$PREFIX/var/log"
service="$SVDIR/shellphone"
leaving="$SVDIR/.shellphone.leaving"
home=$(head -n 1 "$service/env/SHELLPHONE_HOME" 2>/dev/null || true)
home=${home:-${SHELLPHONE_HOME:-$HOME/.shellphone}}

if [ -d "$service" ]; then
  : >"$service/down"
  sv -w 15 force-stop "$service" >/dev/null 2>&1 || true # fails when nothing runs
  rm -rf "$leaving"
  mv "$service" "$leaving" # runsvdir starts runsv again as long as the name is there
fi
if [ -d "$leaving" ]; then
  sv -w 15 force-shutdown "$leaving" >/dev/null 2>&1 || true
  rm -rf "$leaving"
fi
rm -rf "$SVDIR/.shellphone.new" "$PREFIX/var/run/shellphone" "$LOGDIR/sv/shellphone" "$HOME/.termux/boot/shellphone"

if [ "$purge" = yes ]; then
  # only what looks like ours
  if [ -f "$home/token" ] && [ "$home" != "$HOME" ]; then
    rm -rf "$home"
  elif [ -d "$home" ]; then
    die "$home holds no token, so it is left: remove it by hand"
  fi
fi
say 'Shellphone is removed from the services and from boot.'
[ "$purge" = yes ] || say "Kept: $home (token, settings, history, outputs). --purge removes it."
say 'Packages, and a wake lock that others may need (termux-wake-unlock), are left.'
