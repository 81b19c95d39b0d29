#!/bin/sh
# Installs the missing Debian packages of the fast tests. With the argument slow, also installs those of the slow tests; with cross, also those that
# build and test launchers for other processors. It is quick if all are installed. It prints the packages that it skips, and why.
set -u

say() { printf 'apt-packages: %s\n' "$*"; }
has() { command -v "$1" >/dev/null 2>&1; }
cache="${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/shellphone/debian"

# tool:package; runit and nats-server are unpacked instead (see below), because their packages may start services
missing='' slow='' cross=''
[ -z "${1:-}" ] || slow='chromium:chromium'
[ "${1:-}" != cross ] || cross='aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu arm-linux-gnueabihf-gcc:gcc-arm-linux-gnueabihf
  firefox-esr:firefox-esr x86_64-linux-gnu-gcc:gcc-x86-64-linux-gnu i686-linux-gnu-gcc:gcc-i686-linux-gnu qemu-aarch64:qemu-user'
# shellcheck disable=SC2086 # each word is a row
for row in toybox:toybox bwrap:bubblewrap mksh:mksh busybox:busybox-static ps:procps vi:vim-tiny curl:curl openssl:openssl setpriv:util-linux unshare:util-linux \
  nsenter:util-linux ip:iproute2 setsid:util-linux tmux:tmux timeout:coreutils find:findutils cc:gcc $slow $cross; do
  has "${row%%:*}" && continue
  case " $missing " in *" ${row#*:} "*) ;; *) missing="$missing ${row#*:}" ;; esac
done
# headers and fonts, which have no program to look for
[ -e /usr/include/stdio.h ] || missing="$missing libc6-dev"
[ -z "$slow" ] || [ -e /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf ] || missing="$missing fonts-dejavu-core"
unpacked=''
for tool in runsvdir runsv sv svlogd chpst; do
  has "$tool" || [ -x "$cache/usr/bin/$tool" ] || unpacked=' runit'
done
has nats-server || [ -x /usr/sbin/nats-server ] || [ -x "$cache/usr/sbin/nats-server" ] || unpacked="$unpacked nats-server"
# version 2.9 of Debian 12 lacks TLS from the first byte and a sync for each write
newer="$cache-testing"
late=''
[ -z "$slow" ] || [ -x "$newer/usr/sbin/nats-server" ] || late=" testing's nats-server"
[ -n "$missing$unpacked$late" ] || exit 0

if ! has apt-get; then
  say "apt-get is not available, so the tests that need$missing$unpacked$late will be skipped"
  exit 0
fi
if [ "$(id -u)" != 0 ]; then
  say "not root; install$missing$unpacked$late yourself, or the tests that need them are skipped"
  exit 0
fi

export DEBIAN_FRONTEND=noninteractive
quiet() { "$@" </dev/null >"$log" 2>&1; }
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
apt() { quiet apt-get -o DPkg::Lock::Timeout=120 -o Acquire::Retries=3 -qq -y "$@"; }
apt_or_update() { apt "$@" || { apt update && apt "$@"; }; }

if [ -n "$missing" ]; then
  say "installing$missing"
  # shellcheck disable=SC2086 # each word is a package
  apt_or_update install --no-install-recommends $missing || { say "could not install$missing; the tests that need them are skipped"; tail -n 3 "$log"; }
fi
for package in $unpacked; do
  say "unpacking $package into $cache"
  mkdir -p "$cache" && cd "$cache" || exit 0
  if apt_or_update download "$package" && quiet dpkg -x "${package}"_*.deb .; then rm -f "${package}"_*.deb; else say "could not fetch $package; the tests that need it cannot run"; tail -n 3 "$log"; fi
done

# Unpacks the nats-server of Debian testing from this machine's mirror, without installing it.
debian() { apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' 'Component: main' 2>/dev/null | head -n 1; }
unpack_newer() {
  [ -n "$(debian)" ] || apt update
  [ -n "$(debian)" ] || return 1
  mkdir -p "$newer/lists/partial" "$newer/archives/partial" && cd "$newer" || return 1
  printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s testing main\n' "$(debian)" >testing.list
  set -- -o "Dir::Etc::SourceList=$newer/testing.list" -o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$newer/lists" -o "Dir::Cache=$newer"
  apt "$@" update && apt "$@" download nats-server && quiet dpkg -x nats-server_*.deb . && quiet usr/sbin/nats-server --version
}
if [ -n "$late" ]; then
  say "unpacking$late into $newer"
  unpack_newer || { say "could not fetch$late; the tests that need it are skipped"; tail -n 3 "$log"; rm -rf "$newer/usr"; }
  rm -rf "$newer/lists" "$newer/archives" "$newer"/*.deb "$newer"/*.bin
fi
exit 0
