/** The files and directories that a destructive command would affect, and the directories that no command may destroy. */
import { isWithin } from '../../../shared/schema/index.ts'
import { effectsOf, type PathWord } from '../programs/index.ts'
import type { SimpleCommand } from '../script/script.ts'
import { leafOf, parentOf } from '../script/directories.ts'
import { canBe, isWide, located } from './located-paths.ts'
import type { GuardInput } from './rule.ts'

const roots =
  '/ /bin /boot /data /data/app /data/data /data/local /data/media /data/media/0 /data/system /data/user /data/user/0 /dev /etc /home /lib /lib32 /lib64 /mnt /mnt/sdcard /mnt/user /mnt/user/0 /mnt/media_rw /opt /proc /root /run /sbin /srv /storage /storage/emulated /storage/emulated/0 /storage/self /storage/self/primary /sdcard /sys /system /system/bin /system/etc /system/lib /system/lib64 /usr /usr/bin /usr/lib /usr/local /usr/sbin /usr/share /var /var/lib /var/log /vendor /apex /product /odm /metadata /persist /cache /Users /Applications /Library /System /private /Volumes'.split(
    ' ',
  )
// the paths of the shared storage, and its folders that contain personal files
const cards =
  '/sdcard /mnt/sdcard /storage/emulated/0 /storage/self/primary /mnt/user/0/primary /mnt/user/0/emulated/0 /data/media/0 /storage/emulated/legacy /storage/sdcard0 /storage/sdcard1'.split(
    ' ',
  )
const folders =
  'Alarms Android Android/data Android/media Android/obb Audiobooks DCIM DCIM/Camera Documents Download Movies Music Notifications Pictures Podcasts Recordings Ringtones WhatsApp'.split(
    ' ',
  )
// an SD card by its volume name, and an app's directory under any of its paths
const volume =
  /^\/(?:storage|mnt\/media_rw)\/[0-9A-F]{4}-[0-9A-F]{4}(?:\/(?:DCIM|Android|Pictures|Music|Movies|Download|Documents))?$/i
const app =
  /^\/data\/(?:data|user\/\d+|user_de\/\d+)(?:\/[a-z]\w*(?:\.\w+)+(?:\/(?:files(?:\/(?:home|usr))?|databases|shared_prefs))?)?$/

const inHome =
  'storage storage/shared storage/dcim storage/downloads storage/pictures storage/movies storage/music .ssh .termux .gnupg'.split(
    ' ',
  )
const inPrefix = 'bin etc lib var share opt var/lib var/service include libexec'.split(' ')

// cached for the last home, prefix and service home, because a service has only one of each
let known = { of: '', paths: new Set<string>() }

// directories whose loss would be catastrophic: those of the system, the user, the shared storage and the service
function protectedPaths({ home, prefix, serviceHome }: GuardInput): Set<string> {
  const of = [home, prefix, serviceHome].join('\0')
  if (known.of === of) return known.paths
  const paths = new Set([...roots, ...cards, ...cards.flatMap((card) => folders.map((folder) => `${card}/${folder}`))])
  for (const path of [home, prefix, serviceHome]) {
    for (let at = path; at !== '/' && at !== ''; at = parentOf(at)) paths.add(at)
  }
  for (const inside of inHome) paths.add(`${home}/${inside}`)
  if (prefix !== '/usr') for (const inside of inPrefix) paths.add(`${prefix}/${inside}`)
  known = { of, paths }
  return paths
}

// whether a possible target is a protected directory, or everything in one
function hits(target: string, protectedOnes: ReadonlySet<string>): boolean {
  const path = target === '/' ? '/' : target.replace(/\/+$/, '')
  if (protectedOnes.has(path) || volume.test(path) || app.test(path)) return true
  if (isWide(leafOf(path)) && hits(parentOf(path), protectedOnes)) return true
  if (!/[*?[]/.test(path)) return false
  return [...protectedOnes].some((one) => canBe(path, one))
}

/** Returns all absolute paths that a path can mean. */
export function targetsOf({ values }: PathWord, command: SimpleCommand, scene: GuardInput): string[] {
  return (values ?? []).flatMap((value) => located(value, command, scene))
}

/** Returns whether a list consists of names of files below a start directory. `through`: whether filters may change its lines. */
export function comesFromNames(from: SimpleCommand | null, through: 'same' | 'changed'): boolean {
  for (let at = from, hops = 0; at && hops < 16; at = at.pipedFrom, hops += 1) {
    const prints = effectsOf(at).find((effect) => effect.does === 'prints')
    if (prints?.does !== 'prints' || (prints.what === 'changed' && through === 'same')) return false
    if (prints.what === 'names') return true
  }
  return false
}

/** Returns whether a path hits a protected directory. `whole`: the directory itself counts, not only a pattern for all its contents. */
export function hitsProtected(path: PathWord, command: SimpleCommand, scene: GuardInput, whole: boolean): boolean {
  const protectedOnes = protectedPaths(scene)
  return targetsOf(path, command, scene).some(
    (target) => hits(target, protectedOnes) && (whole || (path.glob && isWide(leafOf(target)))),
  )
}

/** Returns whether an unknown path could be a protected directory. */
export function couldHit({ values, prefix, glob }: PathWord, command: SimpleCommand, scene: GuardInput): boolean {
  if (command.directories === null && (glob || values?.some((value) => /^\.{0,2}\/?$/.test(value)))) return true
  if (values !== null) return false
  const known = prefix.replace(/[^/]*$/, '')
  if (!known) return prefix === ''
  const protectedOnes = protectedPaths(scene)
  return located(known, command, scene).some(
    (path) => hits(path, protectedOnes) && !isWithin({ path, root: `${scene.home}/.cache` }),
  )
}
