import type { Sandbox } from '../../../src/shared/schema/index.ts'

/** A descriptor that the launcher inherits (sandbox-scene.ts), and that no command may get. */
export const INHERITED = 9

/** The sandboxes, in the order of the letters below. */
export const sandboxes: [name: string, sandbox: Omit<Sandbox, 'writable' | 'hidden'>][] = [
  ['none', { name: 'none', network: true }],
  ['read-only', { name: 'read-only', network: true }],
  ['read-only, no network', { name: 'read-only', network: false }],
  ['workspace-write', { name: 'workspace-write', network: true }],
  ['workspace-write, no network', { name: 'workspace-write', network: false }],
]

const isRoot = process.getuid?.() === 0
/** Denied only to root, whose files could serve others. */
const SET_GROUP_ID = "workspace: make a file set-group-ID, not root's"

/**
 * [attempt, arguments, a letter for each sandbox: y if it is possible, n if not]. A row that is not even possible without a sandbox (not
 * root, no such file system) is skipped.
 */
export const attempts: [what: string, args: string, possible: string][] = [
  ['read a file', 'read OUT/read', 'yyyyy'],
  ['write to /dev/null', 'null /dev/null', 'yyyyy'],
  ['read from /dev/urandom', 'read /dev/urandom', 'yyyyy'],
  ['open a terminal of its own', 'terminal', 'ynnnn'],
  ['read from the terminal of another', 'open TERMINAL', 'ynnnn'],
  ['write to the terminal of another', 'open-to-write TERMINAL', 'ynnnn'],
  ['open a disk as root', 'open DISK', 'ynnnn'],
  ['list any folder', 'list OUT', 'yyyyy'],
  ['write a file', 'write OUT/write', 'ynnnn'],
  ['create a file', 'create OUT/created', 'ynnnn'],
  ['truncate(2) a file', 'truncate OUT/truncate', 'ynnnn'],
  ['open a file with O_RDONLY and O_TRUNC', 'opentrunc OUT/opentrunc', 'ynnnn'],
  ['make a folder', 'mkdir OUT/made', 'ynnnn'],
  ['rename a file', 'rename OUT/rename OUT/renamed', 'ynnnn'],
  ['swap a file with one of the workspace', 'exchange OUT/exchange WORK/exchange', 'ynnnn'],
  ['unlink a file', 'unlink OUT/unlink', 'ynnnn'],
  ['link a file into the workspace', 'link OUT/link WORK/inside/linked', 'ynnnn'],
  ['move a file out of the workspace', 'rename WORK/away OUT/away', 'ynnnn'],
  ['make a symbolic link', 'symlink x OUT/symlink', 'ynnnn'],
  ['make a fifo', 'fifo OUT/fifo', 'ynnnn'],
  ['make a device', 'device OUT/device', 'ynnnn'],
  ['write through a symbolic link of the workspace', 'write WORK/symlink', 'ynnnn'],
  ['write through /proc/self/root', 'write /proc/self/rootOUT/procroot', 'ynnnn'],
  ['write through /proc/self/cwd/..', 'write /proc/self/cwd/../out/write', 'ynnnn'],
  ['write through a descriptor of the service', `descriptor ${INHERITED}`, 'nnnnn'],
  ['change mode', 'chmod OUT/meta', 'ynnyy'],
  ['change times', 'utimes OUT/meta', 'ynnyy'],
  ['change owner', 'chown OUT/meta', 'ynnyy'],
  ['set an extended attribute', 'xattr OUT/meta', 'ynnyy'],
  ['set flags, as chattr', 'setflags OUT/meta', 'ynnnn'],
  ['set the version, as chattr -v', 'setversion OUT/meta', 'ynnnn'],
  ['set flags by file_setattr', 'setattr OUT/meta', 'ynnnn'],
  ['workspace: write a file', 'write WORK/write', 'ynnyy'],
  ['workspace: create a file', 'create WORK/inside/created', 'ynnyy'],
  ['workspace: rename across folders', 'rename WORK/rename WORK/inside/renamed', 'ynnyy'],
  ['workspace: unlink a file', 'unlink WORK/unlink', 'ynnyy'],
  ['workspace: make a file set-user-ID', 'setuid WORK/set-id', 'ynnnn'],
  ['workspace: the same by a descriptor', 'setuid-fchmod WORK/set-id', 'ynnnn'],
  ['workspace: open a new file set-user-ID', 'setuid-open WORK/opened', 'ynnnn'],
  ['workspace: make a node set-user-ID', 'setuid-node WORK/node', 'ynnnn'],
  [SET_GROUP_ID, 'setgid WORK/set-id', 'ynnnn'],
  ['workspace: make a device', 'device WORK/inside/device', 'ynnnn'],
  ['hidden: read a file', 'read HIDDEN/secret', 'ynnnn'],
  ['hidden: read a file by a link in the workspace', 'read WORK/peek', 'ynnnn'],
  ['hidden: read a file by /proc/self/root', 'read /proc/self/rootHIDDEN/secret', 'ynnnn'],
  ['hidden: write a file', 'write HIDDEN/write', 'ynnnn'],
  ['hidden: link a file into the workspace', 'link HIDDEN/secret WORK/inside/secret', 'ynnnn'],
  ['hidden: open a file by its handle, as root', 'handle HIDDEN/secret', 'ynnnn'],
  ['hidden: change mode', 'chmod HIDDEN/secret', 'ynnyy'],
  ['hidden: change times', 'utimes HIDDEN/secret', 'ynnyy'],
  ['hidden: watch a file change', 'watch HIDDEN/secret', 'yyyyy'],
  ['hidden: list its names', 'list HIDDEN', 'yyyyy'],
  ['hidden: see that a file is there', 'stat HIDDEN/secret', 'yyyyy'],
  ['connect by TCP', 'tcp PORT', 'yynyn'],
  ['listen by TCP', 'listen', 'yynyn'],
  ['send by UDP', 'udp PORT', 'yynyn'],
  ['a packet socket', 'packet', 'yynyn'],
  ['a netlink socket', 'netlink', 'yynyn'],
  ['connect to a Unix socket by path', 'unix SOCKET', 'ynnnn'],
  ['connect to an abstract Unix socket', 'abstract ABSTRACT', 'ynnnn'],
  ['a socket pair', 'pair', 'yyyyy'],
  ['send a datagram to a Unix socket by path', 'datagram DATAGRAM', 'ynnnn'],
  ['the same by SOCK_RAW', 'raw DATAGRAM', 'ynnnn'],
  ['io_uring', 'io_uring', 'ynnnn'],
  ['signal a process outside', 'kill VICTIM', 'ynnnn'],
  ['trace a process outside', 'ptrace VICTIM', 'ynnnn'],
  ['read the environment of a process outside', 'read /proc/VICTIM/environ', 'ynnnn'],
  ['read the memory of a process outside', 'memory VICTIM', 'ynnnn'],
  ['change limits of a process outside', 'tune VICTIM limit', 'ynnnn'],
  ['change the priority of a process outside', 'tune VICTIM nice', 'ynnnn'],
  ['change the processors of a process outside', 'tune VICTIM affinity', 'ynnnn'],
  ['change the scheduler of a process outside', 'tune VICTIM scheduler', 'ynnnn'],
  ['the same by sched_setparam', 'tune VICTIM param', 'ynnnn'],
  ['the same by sched_setattr', 'tune VICTIM attr', 'ynnnn'],
  ['change the io priority of a process outside', 'tune VICTIM io', 'ynnnn'],
  ["change the priority of all the user's processes", 'tune-user', 'ynnnn'],
  ['change all these of itself', 'tune-itself', 'yyyyy'],
  ['a user namespace by unshare', 'userns', 'ynnnn'],
  ['a user namespace by clone', 'clone', 'ynnnn'],
  ['a user namespace by clone3', 'clone3', 'ynnnn'],
  ['enter a namespace, as root', 'setns', 'ynnnn'],
  ['System V shared memory', 'shm', 'ynnnn'],
  ['System V messages and semaphores', 'sysv', 'ynnnn'],
  ['POSIX message queues', 'mq', 'ynnnn'],
  ['keyrings of the kernel', 'keys', 'ynnnn'],
  ['mount a file system', 'mount MNT', 'ynnnn'],
  ['change the root folder', 'chroot MNT', 'ynnnn'],
]

/** Attempts that older kernels do not deny. */
const newer: [abi: number, what: string][] = [[6, 'signal a process outside']]

/** The letters of a row for this user with that Landlock ABI; below 3 the launcher refuses all sandboxes. */
export function expectedAt(abi: number, what: string, expected: string): string {
  if (abi < 3) return `${expected[0]}rrrr`
  if (what === SET_GROUP_ID && !isRoot) return 'ynnyy'
  return newer.some(([since, name]) => name === what && abi < since) ? 'yyyyy' : expected
}
