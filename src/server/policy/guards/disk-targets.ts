/** Decides whether a command writes to a disk: by a path in its arguments, or by a name from a list of devices. */
import { type Argument, callOf, effectsOf, isPrinter, pathsOf, type PathWord } from '../programs/index.ts'
import { joinPath } from '../script/directories.ts'
import type { SimpleCommand } from '../script/script.ts'
import { isFed, isListed } from './listed-words.ts'
import { canBe, located } from './located-paths.ts'
import type { EffectOf, GuardInput } from './rule.ts'

// a disk is a block device, or a kernel file with a similar effect; character devices and terminals are excluded
const characters =
  /^\/dev\/(?:null|zero|full|u?random|tty\w*|pts(?:\/.*)?|ptmx|std(?:in|out|err)|fd(?:\/.*)?|shm(?:\/.*)?|console|kmsg|log|mqueue(?:\/.*)?|(?:snd|input|dri|serial|usb)\/.*|video\d+|i2c.*|spidev.*|gpiochip\d*|ashmem|\w*binder|uinput|net\/tun|hidraw\d*|rfcomm\d+|lp\d+|dsp\d*|fuse|kvm|n?st\d+)$/
const switches = /^\/proc\/(?:sysrq-trigger|kcore)|^\/sys\/(?:power|block|firmware)\//
// the names of block devices: a program without a row may use any other device
const blocks = /^\/dev\/(?:(?:[shv]|xv)d[a-z*?[]|nvme|mmcblk|mtd|nbd|dm-|md\d|r?disk|(?:block|mapper)\/)/

const isDisk = (path: string) => switches.test(path) || (path.startsWith('/dev/') && !characters.test(path))

/** All places that a path can mean; of an unknown path its known beginning. */
function placesOf(path: PathWord, command: SimpleCommand, scene: GuardInput): string[] {
  return (path.values ?? [path.prefix]).flatMap((value) => {
    if (!value.startsWith('/')) return located(value, command, scene)
    const written = joinPath('/', value) + (value.endsWith('/') ? '/' : '')
    const top = /^\/[^/]*(?=\/)/.exec(written)?.[0] ?? ''
    const place = path.glob && canBe(top, '/dev') ? `/dev${written.slice(top.length)}` : written
    // a link in /dev may lead to the service's own terminal
    return place.startsWith('/dev/') ? [place] : located(value, command, scene)
  })
}

type Judge<Kind extends 'writes' | 'deletes' | 'formats' | 'unknown'> = (
  effect: EffectOf<Kind>,
  command: SimpleCommand,
  scene: GuardInput,
) => boolean

// a program that writes into one of these directories chooses the file's name: cp sda /dev
const isDiskDirectory = (path: string) => /^\/(?:dev|proc|sys)\/?$/.test(path) || switches.test(`${path}/`)

/** Returns whether a write or deletion affects a disk, or a kernel file with a similar effect. */
export const namesDisk: Judge<'writes' | 'deletes'> = (effect, command, scene) =>
  placesOf(effect.path, command, scene).some(
    (place) => isDisk(place) || (effect.does === 'writes' && isDiskDirectory(place)),
  ) || isListed(effect.path, command, scene, listsDisks)

/** Returns whether a deletion removes or overwrites a disk. */
export const deletesDisk: Judge<'deletes'> = (effect, command, scene) =>
  effect.how !== 'code' && (namesDisk(effect, command, scene) || (command.fed && isFed(command, scene, listsDisks)))

// whatever is not an image file is a disk
export const formatsDisk: Judge<'formats'> = ({ path }, command, scene) =>
  !path?.values || placesOf(path, command, scene).some((place) => /^\/(?:dev|proc|sys)\//.test(place))

/** Returns whether a command writes to files whose names it reads from a list of disks: `ls /dev/sd* | xargs tee`. */
export const takesDisks: Judge<'unknown'> = ({ what }, command, scene) =>
  what === 'names' && writesOperands(command) && isFed(command, scene, listsDisks)

/** Returns whether a program without a row writes its output to a disk: `gpg -o /dev/sda`. */
export const outputsToDisk = (command: SimpleCommand, scene: GuardInput): boolean =>
  guessesOf(command).some((given) => output.test(given.option ?? given.guess ?? '') && isBlock(given, command, scene))

/** Returns whether a program without a row gets the name of a disk, which it may overwrite. */
export const mayUseDisk = (command: SimpleCommand, scene: GuardInput): boolean =>
  isStranger(command) &&
  (guessesOf(command).some((given) => isBlock(given, command, scene)) ||
    (command.fed && isFed(command, scene, listsDisks)))

const output = /^(?:o|of|out|output)(?:$|[-_])|[-_](?:out|output)$/i

const isStranger = (command: SimpleCommand) => !!command.path && callOf(command).program === null

const guessesOf = (command: SimpleCommand): readonly Argument[] =>
  isStranger(command) ? callOf(command).arguments : []

const isBlock = ({ word }: Argument, command: SimpleCommand, scene: GuardInput) =>
  pathsOf(word, false).some((path) => placesOf(path, command, scene).some((place) => blocks.test(place)))

function writesOperands(command: SimpleCommand): boolean {
  const { program } = callOf(command)
  return /(?:write|delete)$/.test(program?.last ?? program?.operands ?? '')
}

// tables that start with the names of devices
const tables = /^\/proc\/(?:(?:self\/)?mounts|partitions|swaps)$|^\/etc\/(?:mtab|fstab)$/

// whether a command prints the names of devices: `ls /dev/sd*`, `lsblk -p`, `echo /dev/sda`
const listsDisks = (command: SimpleCommand, scene: GuardInput): boolean =>
  (isPrinter(command) && command.args.some((arg) => blocks.test(arg))) ||
  effectsOf(command).some((effect) => {
    if (effect.does === 'prints') return effect.what === 'devices'
    if (effect.does !== 'lists' && effect.does !== 'reads') return false
    return placesOf(effect.path, command, scene).some((place) =>
      effect.does === 'reads' ? tables.test(place) : place === '/dev' || isDisk(place.replace(/[*?[\]]/g, '0')),
    )
  })
