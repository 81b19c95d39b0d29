/**
 * Checks the README's table of sandboxes on this kernel: as root, as a plain user, and as root of that user's own user namespace, each with
 * Landlock ABI 1 to 7, as far as this kernel supports them. Prints a letter for each cell of the table: y, n, or r if the launcher refuses to run
 * commands in the sandbox. Exit code 1 if a row that is possible without a sandbox differs from the README.
 *
 *     npx tsx scripts/drills/drill-sandboxes.ts
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createLauncherSpawner } from '../../src/server/spawn/launcher.ts'
import { attempts, expectedAt } from '../../test/support/sandbox/attempts.ts'

const plain = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups']
const situations: [name: string, argv: string[]][] = [
  ['root', ['env']],
  ['a plain user', plain],
  ['root of a user namespace of a plain user', [...plain, 'unshare', '--user', '--map-root-user']],
]
const abis = [1, 2, 3, 4, 5, 6, 7]
const here = process.argv[2]

if (here === undefined) process.exitCode = inEach()
else process.exitCode = await drill(here)

function inEach(): number {
  const itself = [process.execPath, '--import', 'tsx', fileURLToPath(import.meta.url)]
  const ends = situations.map(([name, [program, ...args]]) => {
    const env = { ...process.env, TAP_TIMEOUT: '0' }
    const { status, error } = spawnSync(program!, [...args, ...itself, name], { stdio: 'inherit', env })
    if (error) console.log(`${name}: ${error.message}`)
    return status
  })
  return ends.every((status) => status === 0) ? 0 : 1
}

/** Runs all attempts with one ABI; null if this kernel's ABI is older. */
async function attemptAll(abi: number): Promise<string[] | null> {
  // these modules load tap, which is slow and ends the process that loads it
  const [{ openScene, withDescriptor }, { launcherFor }] = await Promise.all([
    import('../../test/support/sandbox/sandbox-scene.ts'),
    import('../../test/support/spawn/harness.ts'),
  ])
  const { folder, path, missing } = launcherFor('launcher', [`-DLANDLOCK_ABI_MAX=${abi}`])
  if (missing) throw new Error(missing)
  const scene = openScene(folder)
  const spawner = await createLauncherSpawner({ path: withDescriptor(path, folder), sandboxes: true, slots: 1 })
  const found = spawner.facts.landlockAbi === abi ? await scene.attemptAll(spawner) : null
  await spawner.close()
  scene.close()
  return found
}

async function drill(name: string): Promise<number> {
  const all: (string[] | null)[] = []
  for (const abi of abis) all.push(await attemptAll(abi))
  console.log(`\n${name}\n${['ABI'.padEnd(54), ...abis.map((abi) => String(abi).padEnd(5))].join(' ')}`)
  const [unlike, impossible]: [string[], string[]] = [[], []]
  for (const [index, [what, , expected]] of attempts.entries()) {
    const letters = all.map((rows) => rows?.[index] ?? '-----')
    console.log([what.padEnd(54), ...letters].join(' '))
    const isPossible = letters.some((found) => found[0] === expected[0])
    if (!isPossible) impossible.push(what)
    const differs = (found: string, at: number) => found !== '-----' && found !== expectedAt(abis[at]!, what, expected)
    if (isPossible && letters.some(differs)) unlike.push(what)
  }
  console.log(`not possible on this machine even without a sandbox: ${impossible.join('; ') || 'none'}`)
  console.log(`different from the README: ${unlike.join('; ') || 'none'}`)
  return unlike.length === 0 ? 0 : 1
}
