/** Disks and block devices, and fork bombs. */
import { hasOption, located, operands, type Scene } from '../scene.ts'
import type { SimpleCommand } from '../script.ts'
import { valuesOf } from '../script.ts'
import type { Rule } from './rule.ts'

const guard = 'catastrophic'
const device =
  /^\/dev\/(?:block(?:\/|$)|bus\/|disk|dm-|hd[a-z]|k?mem$|loop\d|mapper\/|md\d|mmcblk|mtd|nvme|port$|r?disk\d|ram\d|sd[a-z*?[]|sr\d|ubi|vd[a-z]|xvd|zram|[*?[])|^\/proc\/(?:sysrq-trigger|kcore)|^\/sys\/(?:power|block|firmware)\//

/** Whether a path is a disk, or a switch of the kernel that acts like one. */
export function isDisk(path: string): boolean {
  return device.test(path.replace(/\/+/g, '/').replace(/\/\.(?=\/)/g, ''))
}

const wordIsDisk = (values: readonly string[] | null, tail: RegExp) =>
  (values ?? []).some((value) => isDisk(value.replace(tail, '')))
const writers = new Set([
  'tee',
  'cp',
  'mv',
  'install',
  'truncate',
  'shred',
  'wipe',
  'scrub',
  'pv',
  'sponge',
  'rsync',
  'ln',
  'mknod',
  'fallocate',
])
const formatters =
  /^(?:mkfs(?:\..+)?|mke2fs|mkswap|mkdosfs|make_ext4fs|newfs\w*|wipefs|blkdiscard|badblocks|fdisk|sfdisk|cfdisk|gdisk|sgdisk|parted|cryptsetup|hdparm|nvme|flash_image|flash_erase|nandwrite|lvremove|vgremove|pvremove|mdadm|diskpart|diskutil|zpool)$/
const formatter = /^mk/
const informers = /^(?:-V|--version|-h|--help|-n)$/
const lookers =
  /^(?:-l|--list|-s|-V|--version|-h|--help|print|info|list|smart-log|id-ctrl|status|luksDump|isLuks|-I|-i|-n|--no-act|-t|-T|--detail|-D)$/

function writesDisk(command: SimpleCommand): boolean {
  if (
    command.redirections.some(
      (one) =>
        /^(?:>|&>|<>)/.test(one.operator) &&
        one.target &&
        wordIsDisk(valuesOf(one.target) ?? [one.target.prefix], /^$/),
    )
  ) {
    return true
  }
  if (command.name === 'dd') {
    return command.words.some(
      (word) => word.prefix.startsWith('of=') && wordIsDisk(valuesOf(word) ?? [word.prefix], /^of=/),
    )
  }
  if (formatters.test(command.name)) {
    return (
      operands(command).length > 0 &&
      !command.args.some((arg) => (formatter.test(command.name) ? informers : lookers).test(arg)) &&
      formatsDevice(command)
    )
  }
  return (
    writers.has(command.name) &&
    operands(command).some(
      (word, index, all) =>
        wordIsDisk(valuesOf(word) ?? [word.prefix], /^$/) &&
        (index === all.length - 1 || /^(?:tee|shred|wipe|truncate|mv)$/.test(command.name)),
    )
  )
}

// an image file is a fine thing to format
function formatsDevice(command: SimpleCommand): boolean {
  if (/^(?:mke2fs|mkfs|mkswap|mkdosfs)/.test(command.name)) {
    return operands(command).some(
      (word) => word.fields === null || (valuesOf(word) ?? []).some((value) => value.startsWith('/dev/')),
    )
  }
  return true
}

/** Whether a call stands in its own function, in a pipe, in the background, or twice. */
export function isForkBomb(command: SimpleCommand, scene: Scene): boolean {
  const name = command.inFunctions.at(-1)
  if (name === undefined || command.name !== name) return false
  const calls = scene.script.commands.filter((other) => other.name === name && other.inFunctions.includes(name))
  return command.background || command.pipedFrom !== null || calls.length > 1
}

function cleansHome(command: SimpleCommand, scene: Scene): boolean {
  if (command.name !== 'git' || !command.args.includes('clean') || !hasOption(command, 'f', '--force')) return false
  const folder = command.args[command.args.indexOf('-C') + 1] ?? '.'
  const places = located(command.args.includes('-C') ? folder : '.', command, scene)
  return places.some((place) => place === scene.home || place === '/')
}

export const filesRules: readonly Rule[] = [
  {
    guard,
    name: 'disk',
    verdict: 'deny',
    risk: 'high',
    reason: 'This would overwrite or format a disk.',
    match: [
      'dd if=/dev/zero of=/dev/sda',
      'mkfs.ext4 /dev/sda1',
      'cat x > /dev/block/mmcblk0',
      'echo x | tee /dev/nvme0n1',
      'cp img /dev/sdb',
      'wipefs -a /dev/sda',
      'echo b > /proc/sysrq-trigger',
      'fdisk /dev/sda',
    ],
    notMatch: [
      'dd if=/dev/zero of=out.img bs=1M count=1',
      'man mkfs',
      'mkfs.ext4 disk.img',
      'fdisk -l',
      'ls x > /dev/null',
      'cat /dev/urandom | head -c 8',
      'lsblk /dev/sda',
    ],
    command: writesDisk,
  },
  {
    guard,
    name: 'fork-bomb',
    verdict: 'deny',
    risk: 'high',
    reason: 'This starts copies of itself without end.',
    match: [':(){ :|:& };:', 'b() { b | b & }; b', 'f() { f & f & }; f'],
    notMatch: ['f() { ls | wc -l; }; f', 'walk() { for x in "$1"/*; do walk "$x"; done; }; walk .', 'sleep 1 & wait'],
    command: isForkBomb,
  },
  {
    guard,
    name: 'fork-loop',
    verdict: 'deny',
    risk: 'high',
    reason: 'This code starts processes without end.',
    match: ["perl -e 'fork while 1'", "python3 -c 'import os\nwhile True: os.fork()'"],
    notMatch: ["perl -e 'print 1'", 'git fork'],
    command: ({ code }) => /\bfork\b/.test(code?.text ?? '') && /\b(?:while|loop|for)\b/.test(code?.text ?? ''),
  },
  {
    guard,
    name: 'empty-home',
    verdict: 'deny',
    risk: 'high',
    reason: 'This would throw away everything that git does not know in a home or root directory.',
    match: ['cd ~ && git clean -fdx', 'git -C ~ clean -fdx'],
    notMatch: ['git clean -fd', 'git clean -n'],
    command: cleansHome,
  },
]
