import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { SandboxName } from '../schema/index.ts'
import { createLauncherSpawner, type LauncherSpawner } from './launcher.ts'
import { firstSlot } from './launcher-link.ts'
import { selfTest } from './prove-launcher.ts'

/** Which sandboxes commands can be put in here, for /health and for whoever asks for one. */
export interface SandboxFacts {
  available: SandboxName[]
  /** Landlock's version; 0: none, or not asked for */
  landlockAbi: number
  /** who enforces read-only */
  by: 'landlock' | 'external' | null
  /** why sandboxes are missing; null when all are there */
  reason: string | null
}

export interface SandboxTest {
  /** absolute path of the launcher's binary */
  path: string
  /** false: Landlock is not even asked for (on Android, unless its owner wants it: it has made kernels panic) */
  landlock: boolean
  externalSandbox: string[] | null
  shell: string
  /** where the test may make a folder */
  tmpDir: string
  env: Record<string, string>
  launcherEnv: Record<string, string>
}

const content = 'as it was'
const testMs = 5000
/** the descriptor that the launcher of the test inherits */
const inheritedFd = firstSlot + 1

/** What a sandboxed shell tries, each on a file of its own in the current folder. */
const attempts: [name: string, script: string][] = [
  ['write', 'echo x > write'],
  ['append', 'echo x >> append'],
  ['truncate', 'true > truncate'],
  ['create', 'echo x > created'],
  ['mkdir', 'mkdir created'],
  ['rename', 'mv rename created'],
  ['unlink', 'rm -f unlink'],
  ['link', 'ln link created'],
  ['symlink', 'echo x > symlink'],
  ['procroot', 'echo x > "/proc/self/root$PWD/procroot"'],
  ['inherited', `echo x >&${inheritedFd}`],
]

/** A folder as the sandboxed shell finds it. */
function prepare(folder: string) {
  for (const [name] of attempts) {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, name === 'symlink' ? 'target' : name), content)
  }
  symlinkSync('target', join(folder, 'symlink', 'symlink'))
  for (const name of ['work', 'hidden']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'hidden', 'secret'), 'the secret')
}

/** The attempts that changed something. What the shell says about them does not count. */
function findSucceeded(folder: string): string[] {
  const isAsItWas = ([name]: (typeof attempts)[number]) => {
    const files = readdirSync(join(folder, name)).sort().join()
    const file = name === 'symlink' ? 'target' : name
    return (
      files === (name === 'symlink' ? 'symlink,target' : name) &&
      readFileSync(join(folder, name, file), 'utf8') === content
    )
  }
  return attempts.filter((attempt) => !isAsItWas(attempt)).map(([name]) => name)
}

function toScript(folder: string): string {
  const lines = attempts.map(([name, script]) => `(cd '${folder}/${name}' && ${script})`)
  return `${lines.join('\n')}
cat '${folder}/hidden/secret' /proc/${process.pid}/environ
(cd '${folder}/work' && echo x > a && mv a b && mkdir c && rm b && echo its files change)
echo x > /dev/null && echo "reads $(cat '${folder}/write/write')"
exit 0`
}

const howToHide = '; `{hidden}` in sandbox.command stands for the folders to hide, as in `--tmpfs {hidden}`'

/** What whoever may trace this process can read. */
function readEnvironment(): string {
  const text = readFileSync('/proc/self/environ', 'latin1')
  return text === '' ? 'nothing' : text
}

/** Puts a shell in the sandbox and lets it try to get out. Null, or why the sandbox is not one. */
async function trySandbox(
  spawner: LauncherSpawner,
  name: SandboxName,
  test: SandboxTest,
  folder: string,
): Promise<string | null> {
  let output = ''
  const sandbox = { name, network: true, writable: [join(folder, 'work')], hidden: [join(folder, 'hidden')] }
  const child = await spawner.spawn(selfTest(toScript(folder), test, { cwd: folder, sandbox }), {
    onOutput: (_, chunk) => {
      output += chunk.toString('latin1')
    },
  })
  const timer = setTimeout(() => child.end(0), testMs)
  await Promise.all([child.exited, child.closed])
  clearTimeout(timer)
  await child.end(0)
  const succeeded = findSucceeded(folder)
  if (succeeded.length > 0) return `it does not stop ${succeeded.join(', ')}`
  if (!output.includes(`reads ${content}`)) return 'a shell inside it can neither read nor write to /dev/null'
  if (output.includes('its files change') !== (name === 'workspace-write')) {
    return 'its workspace is not what it should be'
  }
  if (output.includes('the secret')) {
    return `what is hidden can be read${test.externalSandbox ? howToHide : ''}`
  }
  return output.includes(readEnvironment()) ? 'it lets the environment of the service be read' : null
}

/** Why Landlock cannot be used, going by what the launcher asked the kernel; null: it can. */
function whyNoLandlock(landlockAbi: number, seccomp: boolean, wanted: boolean): string | null {
  if (!wanted) return 'Landlock is off (on Android, where it has made kernels panic, its owner must turn it on)'
  if (landlockAbi === -1000) return 'this system kills whoever asks for Landlock'
  if (landlockAbi === 0) return 'this kernel has no Landlock'
  if (landlockAbi < 3) return `Landlock ABI ${landlockAbi}: below 3 files can still be emptied with truncate(2)`
  return seccomp ? null : 'this kernel has no seccomp filters'
}

async function testOne(name: SandboxName, test: SandboxTest): Promise<string | null> {
  const folder = realpathSync(mkdtempSync(join(test.tmpDir, 'shellphone-sandbox-')))
  let inherited: number | undefined
  let spawner: LauncherSpawner | undefined
  try {
    prepare(folder)
    inherited = openSync(join(folder, 'inherited', 'inherited'), 'a')
    spawner = await createLauncherSpawner({
      ...test,
      env: test.launcherEnv,
      sandboxes: test.landlock,
      slots: 1,
      inherited,
    })
    const { landlockAbi, seccomp } = spawner.facts
    const why = test.externalSandbox ? null : whyNoLandlock(landlockAbi, seccomp, test.landlock)
    return why ?? (await trySandbox(spawner, name, test, folder))
  } catch (error) {
    return (error as Error).message
  } finally {
    await spawner?.close()
    if (inherited !== undefined) closeSync(inherited)
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Tries every sandbox that could be had here, through launchers of its own, and tells which ones hold. Never rejects.
 * An external sandbox stands in for `read-only` alone: what it would have to make writable it cannot be told.
 */
export async function testSandboxes(test: SandboxTest): Promise<Omit<SandboxFacts, 'landlockAbi'>> {
  const [readOnly, workspace] = await Promise.all([
    testOne('read-only', test),
    testOne('workspace-write', { ...test, externalSandbox: null }),
  ])
  const available: SandboxName[] = ['none']
  if (readOnly === null) available.push('read-only')
  if (workspace === null) available.push('workspace-write')
  const by = readOnly !== null ? null : test.externalSandbox ? 'external' : 'landlock'
  const reasons = [readOnly && `read-only: ${readOnly}`, workspace && `workspace-write: ${workspace}`].filter(Boolean)
  const reason = readOnly === workspace ? readOnly : reasons.join('; ')
  return { available, by, reason }
}
