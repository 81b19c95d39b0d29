#!/bin/sh
# Installs Shellphone under Termux, or on Linux for the current user, as a service that starts at boot. Running it again upgrades or repairs it.
#
#     curl -fsSL ADDRESS/install.sh | sh -s -- --lan             the release that this script belongs to
#     sh install.sh --from shellphone-1.2.3.tgz --lan            a file, checked against SHA256SUMS next to it
#     sh install.sh --from https://host/shellphone-1.2.3.tgz     another address, checked against SHA256SUMS there
#     sh termux/install.sh --lan                                 in a clone or an unpacked package: that copy, without copying it
#
# --sha256 SUM checks against SUM instead, and --allow-downgrade permits an older version. All other options are those of `shellphone setup`.
# If the new version does not start, the script restores the old one. It can be interrupted at any time: the old version stays complete until the
# new one responds.
set -eu
# a release sets these two
release_url=''
release_sha256=''

usage='Usage: sh install.sh [options]

Install or upgrade Shellphone under Termux, or on Linux for the current user, as a service that starts at boot.

Options:
  --from FILE         Install this package (or an address), checked against SHA256SUMS next to it (default: the release of this script)
  --sha256 SUM        Check the package against this SHA-256 instead
  --allow-downgrade   Install an older version than the installed one
  -h, --help          Show this help

Options of shellphone setup, which the script runs at the end:
  --lan               Listen on every network of this machine
  --local             Listen on this machine only (default: keep the current address; a new installation has this one)
  --port N            Listen on this port
  --no-start          Do not start or restart the service
  --no-wake-lock      Termux: take no wake lock

Examples:
  sh install.sh --lan
  sh install.sh --from shellphone-1.2.3.tgz --lan'

die() { printf 'Error: %s\n' "$*" >&2; exit 1; }
has() { command -v "$1" >/dev/null 2>&1; }

# The whole script is in functions, so that sh runs nothing if the download of the script is cut off.

node_is_new() {
  "$1" -e 'const [major, minor] = process.versions.node.split("."); process.exit(major > 20 || (major == 20 && minor >= 15) ? 0 : 1)' 2>/dev/null
}

# sets $node
find_node() {
  node=$(command -v node) || node=''
  # a service needs a path that stays, whatever PATH is now
  if [ "$system" = termux ] && [ -x "$PREFIX/bin/node" ]; then node=$PREFIX/bin/node; fi
  if [ -n "$node" ] && node_is_new "$node"; then return 0; fi
  found=${node:+"$("$node" --version 2>/dev/null)"}
  if [ "$system" = termux ]; then
    DEBIAN_FRONTEND=noninteractive DPKG_FORCE=confold pkg install -y nodejs-lts </dev/null || die 'pkg could not install nodejs-lts'
    node=$PREFIX/bin/node
    node_is_new "$node" || die "expected Node 20.15 or newer, got ${found:-none} after pkg install nodejs-lts; run pkg upgrade and try again"
  else
    die "expected Node 20.15 or newer, got ${found:-none}; install it from your distribution or nodejs.org and run this script again"
  fi
}

# sets $system
find_system() {
  system=linux
  if [ -n "${TERMUX_VERSION:-}" ] || [ -d /data/data/com.termux ]; then
    system=termux
    if [ -z "${TERMUX_VERSION:-}" ] || [ ! -d "${PREFIX:-/nowhere}/bin" ]; then
      die 'this script needs Termux, but TERMUX_VERSION and PREFIX are not set, or PREFIX has no bin directory; run it in the Termux app'
    fi
  elif [ "$(uname -s)" != Linux ]; then
    die "expected Termux or Linux, got $(uname -s)"
  fi
}

# sets $top (versions/, current) and $program (the command)
find_directories() {
  if [ "$system" = termux ]; then
    above=$PREFIX
    top=$PREFIX/opt/shellphone
    program=$PREFIX/bin/shellphone
  else
    [ -d "${HOME:-/nowhere}" ] || die "expected HOME to be a directory, got ${HOME:-nothing}"
    above=$HOME
    top=${XDG_DATA_HOME:-$HOME/.local/share}/shellphone
    program=$HOME/.local/bin/shellphone
  fi
  for path in "$above" "$top" "$program"; do
    if [ -e "$path" ] && [ ! -O "$path" ]; then die "$path belongs to another user; run this script as that user"; fi
  done
  if { [ -e "$program" ] || [ -L "$program" ]; } && ! grep -q "$mark" "$program" 2>/dev/null; then
    die "$program belongs to another installation; first remove that one (npm rm -g shellphone, or apt remove shellphone)"
  fi
}
mark='written by install.sh of Shellphone'

# Two installations at the same time would remove each other's files. A lock whose owner has ended does not count.
lock() {
  mkdir -p "$top/versions" "$(dirname "$program")" || die "cannot write to $top"
  if ! ln -s $$ "$top/lock" 2>/dev/null; then
    other=$(readlink "$top/lock") || other=''
    if [ -n "$other" ] && [ "$other" != $$ ] && kill -0 "$other" 2>/dev/null; then
      die "another installation is running (process $other); wait until it ends"
    fi
    rm -f "$top/lock"
    ln -s $$ "$top/lock" || die "cannot write to $top"
  fi
  trap 'rm -rf "$top"/incoming.* "$top/lock"' EXIT
  trap 'exit 1' HUP INT TERM
  rm -rf "$top"/incoming.*
}

# Points the link $top/$1 to $2 in one step.
point() {
  rm -f "$top/.$1.new"
  ln -s "$2" "$top/.$1.new" && mv -fT "$top/.$1.new" "$top/$1"
}

download() {
  if has curl; then curl -fsSL --retry 2 -o "$2" "$1"
  elif has wget; then wget -q -O "$2" "$1"
  else die "expected curl or wget to download $1; install one of them"; fi
}

# Puts the artifact at $1 (a file or an address) into $incoming as package.tgz, and checks it.
fetch() {
  incoming=$(mktemp -d "$top/incoming.XXXXXX") || die "cannot write to $top"
  name=${1##*/}
  case $1 in
    http://* | https://*)
      download "$1" "$incoming/package.tgz" || die "could not download $1 (no connection, no such file, or no space in $top)"
      if [ -z "$sum" ]; then
        download "${1%/*}/SHA256SUMS" "$incoming/SHA256SUMS" || die "could not download ${1%/*}/SHA256SUMS; pass --sha256 SUM"
      fi
      ;;
    *)
      [ -f "$1" ] || die "$1 is not a file"
      cp "$1" "$incoming/package.tgz" || die "could not copy $1 to $top (no space?)"
      beside=$(dirname -- "$1")/SHA256SUMS
      if [ -z "$sum" ]; then
        [ -f "$beside" ] || die "$beside is missing; download it too, or pass --sha256 SUM"
        cp "$beside" "$incoming/SHA256SUMS"
      fi
      ;;
  esac
  if [ -z "$sum" ]; then
    while read -r digest file; do
      if [ "${file#\*}" = "$name" ]; then sum=$digest; fi
    done <"$incoming/SHA256SUMS"
    [ -n "$sum" ] || die "SHA256SUMS has no line for $name; it belongs to another release, or the file was renamed"
  fi
  actual=$(sha256sum <"$incoming/package.tgz") || die 'sha256sum failed'
  actual=${actual%% *}
  [ "$actual" = "$sum" ] || die "$name is truncated or altered: expected the sha256 $sum, got $actual"
}

version_of() { "$node" -p 'JSON.parse(require("fs").readFileSync(process.argv[1])).version' "$1/package.json" 2>/dev/null; }

# Whether version $1 is older than $2; a pre-release (1.0.0-rc.1) is older than its release.
is_older() {
  "$node" -e 'const [a, b] = process.argv.slice(1).map((text) => { const [, numbers, rest] = /^([^-+]*)-?([^+]*)/.exec(text)
      return { numbers: numbers.split(".").map(Number), rest } })
    const first = a.numbers.findIndex((number, index) => number !== b.numbers[index])
    const isOlder = first >= 0 ? a.numbers[first] < b.numbers[first] : a.rest !== b.rest && (b.rest === "" || (a.rest !== "" && a.rest < b.rest))
    process.exit(isOlder ? 0 : 1)' "$1" "$2"
}

# Unpacks the artifact to $fresh, a complete version that nothing uses yet.
unpack() {
  tar -xzf "$incoming/package.tgz" -C "$incoming" || die "could not unpack $name (no space in $top?); nothing was changed"
  version=$(version_of "$incoming/package") || die "$name is not a package of Shellphone"
  # starts the new code once, before anything depends on it
  started=$("$node" "$incoming/package/dist/main.js" version) || die "$name does not start with Node $("$node" --version); nothing was changed"
  [ "$started" = "$version" ] || die "$name says that it is version $started and $version"
  if [ -n "$good" ] && [ "$allow_downgrade" = no ] && is_older "$version" "$(version_of "$top/$good")"; then
    die "$name is older than the installed version ($version, $(version_of "$top/$good")); pass --allow-downgrade to install it anyway"
  fi
  fresh=versions/$version.${incoming##*.}
  mv "$incoming/package" "$top/$fresh" || die "cannot write to $top"
  sync -f "$top" 2>/dev/null || sync # the files must be on the disk before the link is
}

write_program() {
  shell=/bin/sh
  [ "$system" = linux ] || shell=$PREFIX/bin/sh
  rm -f "$program.new"
  printf '#!%s\n# %s\nexec "%s" "%s/current/dist/main.js" "$@"\n' "$shell" "$mark" "$node" "$top" >"$program.new" || die "cannot write to $program"
  chmod 755 "$program.new"
  mv -f "$program.new" "$program"
}

set_up() { "$node" "$top/current/dist/main.js" setup --yes --upgrade "$@"; }

# Writes the manual pages and the completion of bash for the copy at $1. The program also works without them.
write_manual() {
  share=${XDG_DATA_HOME:-${HOME:-/nowhere}/.local/share}
  if [ "$system" = termux ]; then share=$PREFIX/share; fi
  completion=$share/bash-completion/completions/shellphone
  rm -f "$share"/man/man1/shellphone.1 "$share"/man/man1/shellphone-*.1 # those of the previous version
  if ! { mkdir -p "$(dirname "$completion")" \
    && "$node" "$1/dist/main.js" man --directory "$share/man/man1" \
    && "$node" "$1/dist/main.js" completion bash >"$completion.new" \
    && mv -f "$completion.new" "$completion"; }; then
    echo "Warning: could not write the manual pages and the completion of bash to $share" >&2
  fi
}

# Removes every version except the current one.
prune() {
  kept=$(readlink "$top/current")
  for path in "$top"/versions/*; do
    if [ "$path" != "$top/$kept" ]; then rm -rf "$path"; fi
  done
}

# While an upgrade is not complete, the link `previous` names the version that works.
find_good() {
  good=''
  for link in current previous; do
    if [ -L "$top/$link" ] && [ -f "$top/$link/dist/main.js" ]; then good=$(readlink "$top/$link"); fi
  done
}

# Whether systemd starts services for this user.
has_systemd() { systemctl --user show-environment >/dev/null 2>&1; }

# Sets $serve_options: the options of `shellphone serve` that mean the same as these options of setup.
find_serve_options() {
  while [ $# -gt 0 ]; do
    case $1 in
      --lan) serve_options="$serve_options --host 0.0.0.0" ;;
      --local) serve_options="$serve_options --host 127.0.0.1" ;;
      --port)
        [ $# -gt 1 ] || die '--port: expected a number, got nothing'
        serve_options="$serve_options --port $2"
        shift
        ;;
      --port=*) serve_options="$serve_options --port ${1#--port=}" ;;
      --yes | --upgrade | --no-start | --wake-lock | --no-wake-lock) ;; # for a service of systemd or Termux
      *) die "unknown option $1; list the options with sh install.sh --help" ;;
    esac
    shift
  done
}

upgrade() {
  if [ -n "$good" ]; then point previous "$good"; fi
  point current "$fresh" || die "cannot write to $top"
  write_program
  if [ "$system" = linux ] && ! has_systemd; then
    rm -f "$top/previous"
    prune
    echo "Shellphone $version is installed, but systemd does not run services for this user. Start it with: $program serve$serve_options"
    if [ -n "$good" ]; then echo "If the previous version still runs, stop it first: it keeps running until then."; fi
  elif set_up "$@"; then
    rm -f "$top/previous"
    prune
  elif [ -z "$good" ]; then
    die "Shellphone $version is installed, but its setup failed (see above); $program doctor shows what is wrong"
  else
    echo "Shellphone $version does not work (see above); restoring the previous version" >&2
    point current "$good"
    set_up >&2 || die "the previous version does not start either; $program doctor shows what is wrong"
    rm -f "$top/previous"
    prune
    die "Shellphone $version was not installed; $(version_of "$top/current") runs again"
  fi
  write_manual "$top/current"
  case ":$PATH:" in
    *":$(dirname "$program"):"*) ;;
    *) echo "Add $(dirname "$program") to PATH to use the command shellphone." ;;
  esac
}

# Reads the options of this script; the others are for setup.
main() {
  from='' sum='' allow_downgrade=no serve_options=''
  rest=$#
  while [ "$rest" -gt 0 ]; do
    option=$1
    shift
    rest=$((rest - 1))
    case $option in
      --from | --sha256)
        [ "$rest" -gt 0 ] || die "$option: expected a value, got nothing"
        if [ "$option" = --from ]; then from=$1; else sum=$1; fi
        shift
        rest=$((rest - 1))
        ;;
      --allow-downgrade) allow_downgrade=yes ;;
      -h | --help) printf '%s\n' "$usage"; exit 0 ;;
      *) set -- "$@" "$option" ;;
    esac
  done
  case $sum in *[!0-9a-f]*) die "--sha256: expected 64 hexadecimal digits in lower case, got $sum" ;; esac
  find_system
  if [ -z "$from" ] && [ -z "$release_url" ]; then
    in_place "$@"
    exit
  fi
  if [ -z "$from" ]; then
    from=$release_url
    sum=${sum:-$release_sha256}
  fi
  for tool in tar gzip sha256sum mktemp readlink; do has "$tool" || die "expected the program $tool, got none; install it (on Termux: pkg upgrade)"; done
  find_directories
  if [ "$system" = linux ] && ! has_systemd; then find_serve_options "$@"; fi
  find_node
  lock
  find_good
  fetch "$from"
  unpack
  upgrade "$@"
}

# Sets up the copy that contains this script.
in_place() {
  tree=''
  case $0 in */install.sh) tree=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P) ;; esac
  if [ ! -f "$tree/package.json" ]; then die 'expected --from FILE or --from ADDRESS, got nothing; only install.sh of a release has an address of its own'; fi
  [ -f "$tree/dist/main.js" ] || die "$tree/dist/main.js is missing; in a clone, run npm run build"
  find_node
  "$node" "$tree/dist/main.js" setup --yes --upgrade "$@"
  write_manual "$tree"
}

main "$@"
