#!/bin/sh
# Makes Shellphone a Termux service that starts at boot. Run again at any time: it repairs, and restarts the service.
set -eu

usage() {
  cat <<'TEXT'
sh termux/install.sh [--lan | --local] [--port N] [--no-start]

  --lan        listen on every network of the phone (SHELLPHONE_HOST=0.0.0.0)
  --local      listen on 127.0.0.1 only (the default of a first installation)
  --port N     listen on port N (1024 to 65535; 8029 when never given)
  --no-start   write everything, but leave the service as it is (a first installation stays down)
  --help       this text

What is not given keeps what the last installation set. SHELLPHONE_HOME in the environment is kept for the service.
TEXT
}

say() { printf '%s\n' "$*"; }
warn() { printf 'Warning: %s\n' "$*" >&2; }
die() { printf 'Error: %s\n' "$*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }
# Android's and Termux:API's tools wait for ever when the app behind them is missing or frozen
bounded() { timeout -k 1 "$@" </dev/null 2>/dev/null || true; }

host='' port='' start=yes
while [ $# -gt 0 ]; do
  case "$1" in
    --lan) host=0.0.0.0 ;;
    --local) host=127.0.0.1 ;;
    --port) shift; port=${1:-none} ;;
    --port=*) port=${1#*=} ;;
    --no-start) start=no ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; die "unknown option: $1" ;;
  esac
  [ $# -eq 0 ] || shift
done
in_range() {
  case "$1" in *[!0-9]* | ??????*) return 1 ;; esac
  [ "$1" -ge 1024 ] && [ "$1" -le 65535 ]
}
[ -z "$port" ] || in_range "$port" || die "--port: expected a number from 1024 to 65535, got \"$port\""
if [ -z "${TERMUX_VERSION:-}" ] || [ ! -d "${PREFIX:-/nowhere}/bin" ]; then
  die 'this is for Termux: TERMUX_VERSION and PREFIX are not set here'
fi
export SVDIR="$PREFIX/var/service" LOGDIR="$PREFIX/var/log" # login shells alone have them, and sv-enable goes wrong without
service="$SVDIR/shellphone"
boot="$HOME/.termux/boot/shellphone"
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
tree=$(dirname -- "$here")

[ -f "$tree/dist/main.js" ] || die "$tree/dist/main.js is missing: npm run build makes it in a clone; the npm package holds it"
case "$tree/" in
  "$PREFIX"/tmp/* | "${TMPDIR:-$PREFIX/tmp}"/*) die "$tree is in Termux's tmp, which the app empties: move it, to $HOME say" ;;
  /sdcard/* | /storage/*) die "$tree is on shared storage, where other apps may rewrite it: move it, to $HOME say" ;;
esac

# ---- packages: only what is missing, and never a question -------------------------------------------------------------
wanted=''
want() { case " $wanted " in *" $1 "*) ;; *) wanted="$wanted $1" ;; esac; }
node_major() { node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0; }
[ "$(node_major)" -ge 20 ] || want nodejs-lts # nodejs, its rival, will do as well
for tool in runsvdir sv svlogd chpst service-daemon; do have "$tool" || want termux-services; done
have curl || want curl
have timeout || want coreutils
have ps || want procps
if [ -n "$wanted" ]; then
  say "Installing:$wanted"
  # shellcheck disable=SC2086 # one word a package. confold: what the owner changed in a configuration file (openssl.cnf) stays
  DEBIAN_FRONTEND=noninteractive DPKG_FORCE=confold pkg install -y $wanted </dev/null || die "pkg could not install:$wanted"
fi
[ "$(node_major)" -ge 20 ] || die 'Node 20 or newer is needed: pkg install nodejs-lts'
for tool in runsvdir sv svlogd chpst service-daemon curl timeout; do have "$tool" || die "$tool is still missing"; done

# ---- launcher: commands start faster and end more surely with it; without a compiler all works too ---------------------
if [ -f "$tree/scripts/build-launcher.mjs" ]; then
  timeout -k 1 120 node "$tree/scripts/build-launcher.mjs" </dev/null || true
fi

# ---- service and boot script ------------------------------------------------------------------------------------------
quoted() { printf '%s' "$1" | sed 's/[\\&|]/\\&/g'; }
# a whole file or none: runsv may be reading the one that is there
render() {
  mkdir -p "$(dirname -- "$2")"
  sed -e "1s|.*|#!$(quoted "$PREFIX")/bin/sh|" -e "s|@PREFIX@|$(quoted "$PREFIX")|g" -e "s|@HOME@|$(quoted "$HOME")|g" -e "s|@TREE@|$(quoted "$tree")|g" "$1" >"$2.new"
  chmod 700 "$2.new"
  mv -f "$2.new" "$2"
}
setting() { [ -z "$2" ] || printf '%s\n' "$2" >"$target/env/$1"; }
current() { head -n 1 "$service/env/$1" 2>/dev/null || true; }

mkdir -p "$SVDIR" "$LOGDIR" "$PREFIX/var/run"
target=$service
if [ ! -d "$service" ]; then
  target="$SVDIR/.shellphone.new" # runsvdir passes dot names by, so it never sees half a service
  rm -rf "$target"
  mkdir -p "$target"
  : >"$target/down"
fi
mkdir -p "$target/env" "$target/log"
for file in run finish log/run; do render "$here/service/$file" "$target/$file"; done
setting SHELLPHONE_HOST "$host"
setting SHELLPHONE_PORT "$port"
setting SHELLPHONE_HOME "${SHELLPHONE_HOME:-}"
[ "$target" = "$service" ] || mv "$target" "$service"
render "$here/boot" "$boot"

host=$(current SHELLPHONE_HOST) port=$(current SHELLPHONE_PORT) home=$(current SHELLPHONE_HOME)
host=${host:-127.0.0.1} port=${port:-8029} home=${home:-$HOME/.shellphone}

# ---- start ------------------------------------------------------------------------------------------------------------
# true when TEST succeeds within SECONDS
within() {
  seconds=$1
  shift
  while ! "$@" >/dev/null 2>&1; do
    [ "$seconds" -gt 0 ] || return 1
    seconds=$((seconds - 1))
    sleep 1
  done
}
# the fifo is always there: only a living runsv holds it open, and sv knows
supervised() { sv status "$service"; }
healthy() { curl -fsS -m 2 "http://127.0.0.1:$port/health"; }
if [ "$start" = yes ]; then
  rm -f "$service/down"
  if supervised >/dev/null 2>&1; then
    sv restart "$service" >/dev/null 2>&1 || true # health says below whether it worked
  else
    service-daemon start >/dev/null 2>&1 </dev/null || true
    # runsvdir looks every 5 s
    within 15 supervised || die "runsvdir did not take up $service. Close Termux (Exit in its notification), open it and run this again"
    sv up "$service" >/dev/null 2>&1 || true
  fi
  within 30 healthy || die "no answer from http://127.0.0.1:$port/health. The log: $LOGDIR/sv/shellphone/current"
fi

# ---- what the phone's owner must know -----------------------------------------------------------------------------------
lan_address() {
  node -e '
    let all = {}
    try { all = require("node:os").networkInterfaces() } catch {} // Android may refuse
    const found = Object.entries(all).flatMap(([name, list]) =>
      list.filter((one) => one.family === "IPv4" && !one.internal).map((one) => [/^(wlan|eth|ap|swlan)/.test(name) ? 0 : 1, one.address]))
    found.sort((a, b) => a[0] - b[0])
    console.log(found[0]?.[1] ?? "")' 2>/dev/null || true
}
# Wi-Fi and hotspot before mobile data
ifconfig_address() {
  bounded 5 ifconfig | awk '
    /^[a-z]/ { rank = $1 ~ /^(wlan|eth|ap|swlan)/ ? 0 : 1 }
    $1 == "inet" { sub("addr:", "", $2); if ($2 !~ /^127\./) print rank, $2 }' | sort | sed -n '1s/^. //p'
}
wifi_address() { bounded 10 termux-wifi-connectioninfo | sed -n 's/.*"ip"[^"]*"\([0-9.]*\)".*/\1/p' | head -n 1; }
address=127.0.0.1
if [ "$host" = 0.0.0.0 ]; then
  address=$(lan_address)
  [ -n "$address" ] || address=$(ifconfig_address)
  [ -n "$address" ] || address=$(wifi_address)
  [ -n "$address" ] || address=PHONE-ADDRESS # Settings > About phone > Status shows it
fi

say ''
if [ "$start" = yes ]; then
  say "Shellphone runs: http://$address:$port"
else
  say 'Shellphone is installed. To start it: install.sh without --no-start.'
fi
[ "$host" = 0.0.0.0 ] || say 'Only this phone reaches it. For other machines: install.sh --lan, or ssh -p 8022 -L 8029:127.0.0.1:'"$port"' PHONE-ADDRESS'
say ''
say "Pair an agent: give it the address and the token in $home/token (cat it here; whoever has it commands this phone)."
say 'Try it on the laptop:'
say "  TOKEN=…"
say "  curl -sS http://$address:$port/exec -H \"Authorization: Bearer \$TOKEN\" -H 'Content-Type: application/json' -d '{\"command\":\"uname -a\"}'"
say ''
say "Look after it: sv status|up|down|restart $service    log: $LOGDIR/sv/shellphone/current"

sdk=$(bounded 5 getprop ro.build.version.sdk)
case "$sdk" in '' | *[!0-9]*) sdk=0 ;; esac
case "$TERMUX_VERSION" in
  googleplay.*) warn 'this is the Google Play build of Termux. On Android 17 it cannot accept connections from the network at all, and no setting helps: install Termux from F-Droid or GitHub.' ;;
esac
[ "$host" != 0.0.0.0 ] || warn 'the connection is not encrypted: whoever reads along in this network can read the token. Use a network that you trust, or ssh or a VPN.'
if [ "$sdk" -eq 0 ] || [ "$sdk" -ge 31 ]; then
  warn 'Android 12 and newer kill "phantom" processes, the oldest first, when all apps together have more than 32: Shellphone dies in the middle of work. Switch that off:'
  if [ "$sdk" -eq 0 ] || [ "$sdk" -ge 34 ]; then say '  Android 14+: Settings > System > Developer options > Disable child process restrictions' >&2; fi
  if [ "$sdk" -eq 0 ] || [ "$sdk" -eq 32 ] || [ "$sdk" -eq 33 ]; then say '  Android 12L, 13: adb shell settings put global settings_enable_monitor_phantom_procs false' >&2; fi
  if [ "$sdk" -eq 0 ] || [ "$sdk" -eq 31 ]; then say '  Android 12: adb shell "device_config set_sync_disabled_for_tests persistent; device_config put activity_manager max_phantom_processes 2147483647"' >&2; fi
fi
warn 'Android stops Termux with the screen off unless Settings > Apps > Termux > Battery is "Unrestricted"; Termux:Boot likewise. See dontkillmyapp.com for your maker.'
case "$(bounded 5 pm path com.termux.boot)" in
  package:*) ;;
  *) warn 'to start after a reboot, install the app Termux:Boot from where Termux came from, and open it once.' ;;
esac
for entry in "$HOME"/.termux/boot/*; do
  [ ! -d "$entry" ] || warn "$entry is a directory: Termux:Boot stops at it and runs nothing that comes after it. Move it away."
done
if have termux-job-scheduler; then
  say "Optional watchdog (every 15 min, brings it back after Android killed everything): termux-job-scheduler --script $boot --period-ms 900000 --persisted true"
fi
