#!/bin/sh
# Installs the missing Debian packages of the fast tests. With the argument slow, also installs those of the slow tests; with cross, also those of
# the drills. With release, installs only the compilers of a release. It is quick if all are installed. It prints the packages that it skips, and why.
set -u

say() { printf 'apt-packages: %s\n' "$*"; }
has() { command -v "$1" >/dev/null 2>&1; }
cache="${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/shellphone/debian"

# tool:package; runit and nats-server are unpacked instead (see below), because their packages may start services
compilers='cc:gcc aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu arm-linux-gnueabihf-gcc:gcc-arm-linux-gnueabihf
  x86_64-linux-gnu-gcc:gcc-x86-64-linux-gnu i686-linux-gnu-gcc:gcc-i686-linux-gnu'
tests='toybox:toybox bwrap:bubblewrap mksh:mksh busybox:busybox-static ps:procps vi:vim-tiny curl:curl openssl:openssl setpriv:util-linux unshare:util-linux
  nsenter:util-linux ip:iproute2 setsid:util-linux tmux:tmux timeout:coreutils find:findutils cc:gcc'
slow_tests='chromium:chromium rg:ripgrep'
drills='firefox-esr:firefox-esr qemu-aarch64:qemu-user qemu-aarch64-static:qemu-user-static debootstrap:debootstrap clang:clang lintian:lintian'
missing='' slow='' cross=''
case ${1:-} in
  '') rows=$tests ;;
  slow) rows="$tests $slow_tests" slow=yes ;;
  cross) rows="$tests $compilers $drills $slow_tests" slow=yes cross=yes ;;
  release) rows=$compilers ;;
esac
# shellcheck disable=SC2086 # each word is a row
for row in $rows; do
  has "${row%%:*}" && continue
  case " $missing " in *" ${row#*:} "*) ;; *) missing="$missing ${row#*:}" ;; esac
done
# headers and fonts, which have no program to look for
[ -e /usr/include/stdio.h ] || missing="$missing libc6-dev"
[ -z "$slow" ] || [ -e /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf ] || missing="$missing fonts-dejavu-core"
# the libraries of sanitizers and fuzzers have the version of clang in their path
[ -z "$cross" ] || ls /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-* >/dev/null 2>&1 || missing="$missing libclang-rt-dev"
unpacked='' late=''
newer="$cache-testing"
if [ "${1:-}" != release ]; then
  for tool in runsvdir runsv sv svlogd chpst; do
    has "$tool" || [ -x "$cache/usr/bin/$tool" ] || unpacked=' runit'
  done
  has nats-server || [ -x /usr/sbin/nats-server ] || [ -x "$cache/usr/sbin/nats-server" ] || unpacked="$unpacked nats-server"
  # version 2.9 of Debian 12 lacks TLS from the first byte and a sync for each write
  [ -z "$slow" ] || [ -x "$newer/usr/sbin/nats-server" ] || late=' nats-server'
  # Jazzer.js needs libc 2.38
  [ -z "$cross" ] || [ -n "$(find "$newer" -name libc.so.6 2>/dev/null)" ] || late="$late libc6 libgcc-s1 libstdc++6"
fi
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

# Unpacks packages of Debian testing from this machine's mirror, without installing them.
debian() { apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' 'Component: main' 2>/dev/null | head -n 1; }
unpack_newer() {
  [ -n "$(debian)" ] || apt update
  [ -n "$(debian)" ] || return 1
  mkdir -p "$newer/lists/partial" "$newer/archives/partial" && cd "$newer" || return 1
  printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s testing main\n' "$(debian)" >testing.list
  testing="-o Dir::Etc::SourceList=$newer/testing.list -o Dir::Etc::SourceParts=- -o Dir::State::Lists=$newer/lists -o Dir::Cache=$newer"
  # shellcheck disable=SC2086 # each word is an option
  apt $testing update && apt $testing download "$@" || return 1
  for file in *.deb; do quiet dpkg -x "$file" . || return 1; done
}
if [ -n "$late" ]; then
  say "unpacking testing's$late into $newer"
  # shellcheck disable=SC2086 # each word is a package
  unpack_newer $late || { say "could not fetch testing's$late; the tests that need them are skipped"; tail -n 3 "$log"; }
  # an older libc cannot run it
  [ ! -e "$newer/usr/sbin/nats-server" ] || "$newer/usr/sbin/nats-server" --version >/dev/null 2>&1 || rm -f "$newer/usr/sbin/nats-server"
  rm -rf "$newer/lists" "$newer/archives" "$newer"/*.deb "$newer"/*.bin
fi
exit 0
