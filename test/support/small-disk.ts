import { spawnSync } from 'node:child_process'
import type { Test } from 'tap'

/** Mounts a disk of `mebibytes` MiB on an existing folder until the test ends; returns why it cannot, or null. */
export function mountSmall(t: Test, folder: string, mebibytes = 1): string | null {
  const size = `size=${mebibytes}m,mode=0700`
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', size, 'tmpfs', folder], { encoding: 'utf8' })
  if (status !== 0) return `a small disk cannot be mounted here: ${stderr?.trim() ?? 'there is no mount'}`
  t.teardown(() => spawnSync('umount', ['-l', folder]))
  return null
}
