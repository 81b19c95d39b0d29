/** Which files and directories a destructive command would hit, and which of those must never be hit. */
import { canBe, isWide, isWithin, leafOf, parentOf } from '../paths.ts'
import { located, operands, type Scene } from '../scene.ts'
import type { SimpleCommand, Word } from '../script.ts'
import { valuesOf } from '../script.ts'

const roots =
  '/ /bin /boot /data /data/app /data/data /data/local /data/media /data/media/0 /data/system /data/user /data/user/0 /dev /etc /home /lib /lib32 /lib64 /mnt /mnt/sdcard /mnt/user /opt /proc /root /run /sbin /srv /storage /storage/emulated /storage/emulated/0 /storage/self /storage/self/primary /sdcard /sys /system /system/bin /system/etc /system/lib /system/lib64 /usr /usr/bin /usr/lib /usr/local /usr/sbin /usr/share /var /var/lib /var/log /vendor /apex /product /odm /metadata /persist /cache /Users /Applications /Library /System /private /Volumes'.split(
    ' ',
  )
const cards = ['/sdcard', '/storage/emulated/0', '/storage/self/primary', '/mnt/sdcard', '/data/media/0']
const folders = [
  'Alarms',
  'Android',
  'Android/data',
  'Android/media',
  'Audiobooks',
  'DCIM',
  'DCIM/Camera',
  'Documents',
  'Download',
  'Movies',
  'Music',
  'Notifications',
  'Pictures',
  'Podcasts',
  'Recordings',
  'Ringtones',
  'WhatsApp',
]

const known = new WeakMap<Scene, Set<string>>()

/** The directories whose loss is a catastrophe: the system's, the user's, the phone's shared storage, the service's. */
export function protectedPaths(scene: Scene): Set<string> {
  const made = known.get(scene)
  if (made) return made
  const { home, prefix, serviceHome } = scene
  const all = new Set([...roots, ...cards.flatMap((card) => folders.map((folder) => `${card}/${folder}`))])
  for (const path of [home, prefix, serviceHome]) {
    for (let at = path; at !== '/' && at !== ''; at = parentOf(at)) all.add(at)
  }
  for (const inside of [
    'storage',
    'storage/shared',
    'storage/dcim',
    'storage/downloads',
    'storage/pictures',
    'storage/movies',
    'storage/music',
    '.ssh',
    '.termux',
    '.gnupg',
  ]) {
    all.add(`${home}/${inside}`)
  }
  if (prefix !== '/usr') {
    for (const inside of ['bin', 'etc', 'lib', 'var', 'share', 'opt', 'var/lib', 'var/service', 'include', 'libexec']) {
      all.add(`${prefix}/${inside}`)
    }
  }
  known.set(scene, all)
  return all
}

/** Whether one possible target is a protected directory, or everything in one. */
export function hits(target: string, protectedOnes: ReadonlySet<string>): boolean {
  const path = target === '/' ? '/' : target.replace(/\/+$/, '')
  if (protectedOnes.has(path)) return true
  if (isWide(leafOf(path)) && hits(parentOf(path), protectedOnes)) return true
  if (!/[*?[]/.test(path)) return false
  return [...protectedOnes].some((one) => canBe(path, one))
}

/** Whether a command's operands include a protected directory. `whole`: the directory itself counts, not only all its contents. */
export function hitsProtected(
  command: SimpleCommand,
  scene: Scene,
  whole: boolean,
  words: readonly Word[] = operands(command),
): boolean {
  const protectedOnes = protectedPaths(scene)
  return words.some((word) =>
    (valuesOf(word) ?? []).some((value) =>
      located(value, command, scene).some(
        (path) => hits(path, protectedOnes) && (whole || (word.glob && isWide(leafOf(path)))),
      ),
    ),
  )
}

/** Whether an operand is unknown in such a way that it could be a protected directory. */
export function couldHit(command: SimpleCommand, scene: Scene): boolean {
  if (
    command.places === null &&
    operands(command).some((word) => word.glob || /^\.{0,2}\/?$/.test(word.literal ?? 'x'))
  ) {
    return true
  }
  const protectedOnes = protectedPaths(scene)
  return operands(command).some((word) => {
    if (word.fields !== null) return false
    const known = word.prefix.replace(/[^/]*$/, '')
    if (!known) return word.prefix === ''
    return located(known, command, scene).some(
      (path) => hits(path, protectedOnes) && !isWithin(path, `${scene.home}/.cache`),
    )
  })
}
