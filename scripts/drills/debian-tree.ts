import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, renameSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { findProgram } from '../../src/server/spawn/index.ts'

/** What the drills need in addition to Debian's base system, so that a user's systemd runs there. */
const PACKAGES = 'ca-certificates,git,systemd,systemd-sysv,dbus,libpam-systemd,dbus-user-session,procps,curl'
const kept = join(homedir(), '.cache/shellphone-drills/debian-12')

const run = (program: string, ...argv: string[]) =>
  execFileSync(program, argv, { stdio: ['ignore', 'ignore', 'inherit'] })

/** Copies a fresh Debian 12 to `folder`, which debootstrap downloads once. Returns why it cannot, or null. */
export function copyDebian(folder: string): string | null {
  if (process.getuid?.() !== 0) return 'needs root, for debootstrap and chroot'
  if (!existsSync(kept)) {
    if (!findProgram('debootstrap', process.env.PATH ?? '')) return 'not installed: apt-get install debootstrap'
    run('mkdir', '-p', dirname(kept))
    const fresh = mkdtempSync(`${kept}.incomplete-`)
    chmodSync(fresh, 0o755)
    run('debootstrap', '--variant=minbase', `--include=${PACKAGES}`, 'bookworm', fresh)
    renameSync(fresh, kept)
  }
  run('cp', '-a', kept, folder)
  run('cp', '/etc/resolv.conf', join(folder, 'etc/resolv.conf'))
  return null
}

/** Runs a script as root in a copy of Debian, with this machine's network. Returns its output; throws an error with the output if it fails. */
export const inDebian = (folder: string, script: string): string =>
  execFileSync(
    'unshare',
    ['-mpf', '--kill-child', '--propagation', 'private', 'sh', '-euc', ENTER, folder, 'sh', '-euc', script],
    {
      encoding: 'utf8',
      env: {
        PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
        HOME: '/root',
        DEBIAN_FRONTEND: 'noninteractive',
        ...(process.env.NODE_EXTRA_CA_CERTS ? { NODE_EXTRA_CA_CERTS: '/etc/authorities.pem' } : {}),
      },
      maxBuffer: 1 << 26,
    },
  )

/** Mounts what programs expect. $0: the directory; the rest is what to run there. */
const ENTER = 'mount -t proc proc "$0/proc"; mount --rbind /dev "$0/dev"; exec chroot "$0" "$@"'

/** Puts this machine's npm, the certificate authorities that it trusts in addition, and a version of Node into a copy of Debian, which has only Node 18. */
export function addNode(folder: string, node: string): void {
  const npm = findProgram('npm', process.env.PATH ?? '')
  if (!npm) throw new Error('npm: not found')
  run('mkdir', '-p', join(folder, 'usr/local/lib/node_modules'))
  run('cp', '-L', node, join(folder, 'usr/local/bin/node'))
  run(
    'cp',
    '-RL',
    join(execFileSync('readlink', ['-f', npm], { encoding: 'utf8' }).trim(), '../..'),
    join(folder, 'usr/local/lib/node_modules/npm'),
  )
  run('ln', '-s', '../lib/node_modules/npm/bin/npm-cli.js', join(folder, 'usr/local/bin/npm'))
  const authorities = process.env.NODE_EXTRA_CA_CERTS
  if (authorities) run('cp', '-L', authorities, join(folder, 'etc/authorities.pem'))
}
