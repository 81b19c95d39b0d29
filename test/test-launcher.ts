import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildLauncher } from '../scripts/build-launcher.mjs'
import { createLauncherSpawner, type LauncherSpawner } from '../src/spawn/launcher.ts'

/** The spawner on a launcher built for one test file, in a list; an empty list, and a line that says so, where there is no compiler. */
export async function testLauncher(): Promise<LauncherSpawner[]> {
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-launcher-'))
  process.once('exit', () => rmSync(folder, { recursive: true }))
  const path = join(folder, 'launcher')
  const reason = buildLauncher(path, ['-Werror'])
  if (reason === null) return [await createLauncherSpawner({ path, boxes: true })]
  console.error(`tested without the launcher: ${reason}`)
  return []
}
