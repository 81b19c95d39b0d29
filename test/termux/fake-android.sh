#!/bin/bash
# A pretend Termux on Debian, for tests: prints "ready PID" and lives until its stdin ends; then nothing of it is left.
#
#   NODE=/path/of/node RUNIT=/folder/of/runsv [TREE=/path/of/the/package] [NPM=/path/of/npm] fake-android.sh
#                                                                               (root; toybox, mksh, busybox, unshare)
#
# In private mount, pid and network namespaces it is what an app sees on a phone: no /usr/bin, no /tmp, no /etc/passwd, /bin is Android's
# (mksh, toybox), own processes alone in /proc, no CPU counters, a Wi-Fi address 192.168.43.7. Enter it with nsenter as uid 10123 (phone.ts).
# What is on a real phone and not here: bionic, its linker and seccomp filter, SELinux, doze, the phantom process killer.
set -eu
: "${NODE:?}" "${RUNIT:?}" "${TREE:=}" "${NPM:=}"
root=$(mktemp -d /tmp/fake-android.XXXXXX)
trap 'rmdir "$root"' EXIT
HERE=$(cd "$(dirname "$0")" && pwd) ROOT=$root TOYBOX=$(type -P toybox) MKSH=$(type -P mksh) BUSYBOX=$(type -P busybox)
export HERE ROOT NODE TREE NPM RUNIT TOYBOX MKSH BUSYBOX
unshare -mpnf --kill-child bash -eu -c '
  mount -t tmpfs -o mode=755 none "$ROOT"
  cd "$ROOT"
  prefix=data/data/com.termux/files/usr
  home=data/data/com.termux/files/home
  mkdir -p proc dev system/bin etc sdcard usr/lib usr/lib64 "$prefix"/{bin,lib,libexec,tmp,etc,var/log,share} "$home"

  # libraries of this machine, and no programs
  mount --rbind /usr/lib usr/lib
  [ ! -d /usr/lib64 ] || mount --rbind /usr/lib64 usr/lib64
  ln -s usr/lib lib
  ln -s usr/lib64 lib64
  cp /etc/ld.so.cache etc/

  # Android: /system/bin and /bin
  cp -L "$TOYBOX" system/bin/toybox
  for name in $("$TOYBOX"); do ln -sf toybox "system/bin/$name"; done
  cp -L "$MKSH" system/bin/sh
  cp -L "$BUSYBOX" "$prefix/libexec/busybox"
  ln -s system/bin bin

  # the Termux bootstrap: dash is its sh; without a compiler, LD_PRELOAD gets a library that loads and does nothing
  for name in dash bash env ls cat echo sleep ps setsid timeout nice id uname date mkdir rm mv cp ln touch chmod head tail wc tr sort cut \
      true false seq sed awk grep find dirname basename printf kill setpriv tee mktemp stat nohup; do
    cp -L "$(type -P "$name")" "$prefix/bin/$name"
  done
  ln -s dash "$prefix/bin/sh"
  cp "$prefix/bin/ps" "$prefix/libexec/procps-ps"
  library="$prefix/lib/libtermux-exec-ld-preload.so"
  cc -shared -fPIC -o "$library" "$HERE/termux-exec.c" 2>/dev/null || cp -L "$(ldconfig -p | sed -n "s|.* => \(.*/libdl.so.2\)$|\1|p" | head -n 1)" "$library"

  # packages that the fake pkg "installs": it copies their tree over $PREFIX
  packages="$prefix/libexec/packages"
  mkdir -p "$packages"/{nodejs-lts/{bin,libexec},termux-services/{bin,etc/profile.d,share/termux-services},curl/bin}
  cp -L "$(type -P curl)" "$packages/curl/bin/curl"
  touch "$prefix/libexec/node"
  mount --bind "$(readlink -f "$NODE")" "$prefix/libexec/node"
  cp -L "$RUNIT"/{runsvdir,runsv,sv,svlogd,chpst} "$packages/termux-services/bin/"
  cp "$HERE/android.mjs" "$prefix/libexec/android.mjs"

  script() { mkdir -p "$(dirname "$1")"; { echo "#!/$prefix/bin/sh"; cat; } >"$1"; chmod 755 "$1"; }
  script "$packages/nodejs-lts/bin/node" <<-"END"
	exec "$PREFIX/libexec/node" --import "$PREFIX/libexec/android.mjs" "$@"
	END
  if [ -n "$NPM" ]; then
    mkdir -p "$packages/nodejs-lts/lib/node_modules"
    cp -R "$NPM" "$packages/nodejs-lts/lib/node_modules/npm"
    script "$packages/nodejs-lts/bin/npm" <<-"END"
	exec "$PREFIX/bin/node" "$PREFIX/lib/node_modules/npm/bin/npm-cli.js" "$@"
	END
  fi
  script "$packages/termux-services/bin/service-daemon" <<-"END"
	[ "$1" = start ] || exit 1
	pid="$PREFIX/var/run/service-daemon.pid"
	mkdir -p "$PREFIX/var/run"
	if [ -f "$pid" ] && kill -0 "$(cat "$pid")" 2>/dev/null; then exit 0; fi
	cd "$PREFIX"
	setsid sh -c "echo \$\$ >$pid; exec runsvdir $SVDIR" </dev/null >/dev/null 2>&1 &
	END
  script "$packages/termux-services/share/termux-services/svlogger" <<-"END"
	above=${PWD%/*}
	mkdir -p "$LOGDIR/sv/${above##*/}"
	exec svlogd -tt "$LOGDIR/sv/${above##*/}"
	END
  cat >"$packages/termux-services/etc/profile.d/start-services.sh" <<-"END"
	export SVDIR=$PREFIX/var/service LOGDIR=$PREFIX/var/log
	(service-daemon start >/dev/null 2>&1 &)
	END
  # every fake logs its arguments; calls.log is what the test reads
  script "$prefix/bin/pkg" <<-"END"
	echo "pkg $*" >>"$PREFIX/var/calls.log"
	[ "$1 $2" = "install -y" ] || { echo "would ask a question"; exit 1; }
	if read -r line; then echo "stdin is not empty"; exit 1; fi
	shift 2
	for name in "$@"; do cp -R "$PREFIX/libexec/packages/$name/." "$PREFIX/" || exit 100; done
	END
  script "$prefix/bin/termux-wake-lock" <<-"END"
	echo "termux-wake-lock LD_PRELOAD=${LD_PRELOAD-unset}" >>"$PREFIX/var/calls.log"
	[ ! -e "$PREFIX/etc/wake-lock-hangs" ] || exec sleep 1000 # the app is frozen
	END
  script "$prefix/bin/termux-wifi-connectioninfo" <<-"END"
	echo "termux-wifi-connectioninfo $*" >>"$PREFIX/var/calls.log"
	[ ! -e "$PREFIX/etc/api-hangs" ] || exec sleep 1000
	printf "{\n  \"bssid\": \"02:00:00:00:00:00\",\n  \"ip\": \"192.168.43.8\",\n  \"rssi\": -40\n}\n"
	END
  script "$prefix/bin/ifconfig" <<-"END"
	echo "ifconfig $*" >>"$PREFIX/var/calls.log"
	[ ! -e "$PREFIX/etc/no-ifconfig" ] || exit 1
	echo "Warning: cannot open /proc/net/dev (Permission denied). Limited output." >&2
	printf "lo: flags=73<UP>  mtu 65536\n        inet 127.0.0.1  netmask 255.0.0.0\n\nwlan0: flags=4163<UP>  mtu 1500\n        inet 192.168.43.7  netmask 255.255.255.0\n"
	END
  script "$prefix/bin/getprop" <<-"END"
	[ "$1" != ro.build.version.sdk ] || echo 34
	END
  script "$prefix/bin/pm" <<-"END"
	[ ! -e "$PREFIX/etc/api-hangs" ] || exec sleep 1000
	[ "$*" != "path com.termux.boot" ] || echo package:/data/app/com.termux.boot/base.apk
	END

  # "compiles" whatever it is given to what lies at libexec/compiled
  script "$prefix/libexec/cc" <<-"END"
	while [ "$1" != -o ]; do shift; done
	cp "$PREFIX/libexec/compiled" "$2"
	END

  # the package lies where npm i -g puts it
  mkdir -p "$prefix/lib/node_modules"
  [ -z "$TREE" ] || cp -R "$TREE" "$prefix/lib/node_modules/shellphone"

  for name in null zero full random urandom tty; do touch "dev/$name"; mount --bind "/dev/$name" "dev/$name"; done
  ln -s /proc/self/fd dev/fd
  mount -t proc -o hidepid=2 proc proc
  touch etc/refused
  chmod 000 etc/refused
  mount --bind etc/refused proc/stat
  ip link set lo up
  if ip link add wlan0 type veth peer name router 2>/dev/null; then wifi=wlan0; else wifi=lo; fi
  ip addr add 192.168.43.7/24 dev "$wifi"
  ip link set "$wifi" up
  [ "$wifi" = lo ] || ip link set router up
  chown -R 10123:10123 data
  chmod 700 data/data/com.termux

  # pid 1: takes in orphans while it waits for the end of its stdin
  read -r pid rest </proc/self/stat
  exec chroot "$ROOT" "/$prefix/bin/sh" -c "echo ready $pid; exec >/dev/null; /$prefix/bin/cat; exit"
'
