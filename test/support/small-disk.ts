import { spawnSync } from 'node:child_process'
import type { Test } from 'tap'

/** A disk of so many MiB at a folder that is there, until the test ends; else why there is none. */
export function mountSmall(t: Test, folder: string, mebibytes = 1): string | null {
  const size = `size=${mebibytes}m,mode=0700`
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', size, 'tmpfs', folder], { encoding: 'utf8' })
  if (status !== 0) return `no small disk can be made here: ${stderr?.trim() ?? 'there is no mount'}`
  t.teardown(() => spawnSync('umount', ['-l', folder]))
  return null
}
