/**
 * Builds dist/launcher from src/server/spawn/launcher/ if a C compiler is available. npm runs this script at install, so it has no dependencies
 * and never fails. Without the launcher, the service runs commands through Node's child_process, and reports that.
 *
 *     node scripts/build/build-launcher.mjs [output] [compiler flags…]       $CC: the compiler (default: the first of cc, clang, gcc)
 */
import { mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildLauncher } from '../../src/server/spawn/launcher-build.mjs'

const instead =
  "a prebuilt launcher runs commands if it works here, otherwise Node's child_process; /health shows which"
const output = resolve(process.argv[2] ?? fileURLToPath(new URL('../../dist/launcher', import.meta.url)))
try {
  mkdirSync(dirname(output), { recursive: true })
  const reason = buildLauncher(output, process.argv.slice(3))
  console.log(reason ? `launcher: not built (${reason}); ${instead}` : `launcher: built ${output}`)
} catch (error) {
  console.log(`launcher: not built (${error.message}); ${instead}`)
}
