#!/bin/sh
# Boots a Debian tree with its own systemd, network and processes: sh boot-debian.sh DIRECTORY CGROUP (root, cgroup2). Killing the first process
# inside, the only child of this script's process, ends everything.
set -eu
tree=$1 cgroup=$2
mkdir "$cgroup"
echo $$ >"$cgroup/cgroup.procs"
# shellcheck disable=SC2016 # the inner shell expands the variables
exec unshare -mpfCuin --propagation private --kill-child sh -euc '
  ip link set lo up
  mount --bind "$0" "$0"
  cd "$0"
  mount -t proc proc proc
  mount -t tmpfs -o mode=755 none run
  mount -t sysfs -o ro none sys
  mount -t cgroup2 none sys/fs/cgroup
  mount -t tmpfs -o mode=755 none dev
  for name in null zero full random urandom tty; do touch "dev/$name"; mount --bind "/dev/$name" "dev/$name"; done
  mkdir dev/pts dev/shm
  mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
  ln -s pts/ptmx dev/ptmx
  ln -s /proc/self/fd dev/fd
  mkdir -p mnt/old
  pivot_root . mnt/old
  umount -l mnt/old
  exec env -i container=drill PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --log-target=null
' "$tree"
