import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { within } from '../../shared/async/index.ts'
import type { SandboxName } from '../../shared/schema/index.ts'
import { bounds } from './launcher-numbers.ts'
import type { LauncherSpawner } from './launcher.ts'
import type { LauncherFacts } from './launcher-link.ts'
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

interface SandboxTest {
  /** false: Landlock is not even asked for (on Android, unless its owner wants it: it has made kernels panic) */
  landlock: boolean
  externalSandbox: string[] | null
  shell: string
  /** where the test may make a folder */
  tmpDir: string
  env: Record<string, string>
}

const CONTENT = 'as it was'
/** What the self-test's script says where something succeeds in the sandbox. */
const marks = { inherits: 'MARK_INHERITS', changes: 'MARK_CHANGES', reads: 'MARK_READS', secret: 'MARK_SECRET' }
/** Only a sandbox that hangs takes so long, on a busy machine too. */
const TEST_MS = 30_000
const LANDLOCK_OFF = 'Landlock is off (on Android, where it has made kernels panic, its owner must turn it on)'

/** What a sandboxed shell tries, each on the file of its name in the current folder; what it makes is called NAME.new. */
const attempts: Record<string, string> = {
  write: 'echo x > write',
  append: 'echo x >> append',
  truncate: 'true > truncate',
  create: 'echo x > create.new',
  mkdir: 'mkdir mkdir.new',
  rename: 'mv rename rename.new',
  unlink: 'rm -f unlink',
  link: 'ln link link.new',
  symlink: 'echo x > to-symlink',
  procroot: 'echo x > "/proc/self/root$PWD/procroot"',
}
const names = Object.keys(attempts)

/** A folder as the sandboxed shell finds it. */
function prepare(folder: string) {
  for (const name of names) writeFileSync(join(folder, name), CONTENT)
  symlinkSync('symlink', join(folder, 'to-symlink'))
  for (const name of ['work', 'hidden']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'hidden', 'secret'), marks.secret)
}

/** The attempts that changed something. What the shell says about them does not count. */
function findSucceeded(folder: string): string[] {
  const files = readdirSync(folder)
  const isAsItWas = (name: string) =>
    files.includes(name) && !files.includes(`${name}.new`) && readFileSync(join(folder, name), 'utf8') === CONTENT
  return names.filter((name) => !isAsItWas(name))
}

/** No command has more than three descriptors: those of the launcher, its slots' sockets among them, begin with 3. */
function toScript(folder: string): string {
  return `${Object.values(attempts).join('\n')}
for fd in 3 4 5 6 7 8 9; do true >&$fd && echo ${marks.inherits}; done
cat '${folder}/hidden/secret' /proc/${process.pid}/environ
(cd '${folder}/work' && echo x > a && mv a b && mkdir c && rm b && echo ${marks.changes})
echo x > /dev/null && echo "${marks.reads} $(cat write)"
exit 0`
}

const HOW_TO_HIDE = '; `{hidden}` in sandbox.command stands for the folders to hide, as in `--tmpfs {hidden}`'

/** What whoever may trace this process can read. */
function readEnvironment(): string {
  const text = readFileSync('/proc/self/environ', 'latin1')
  return text === '' ? 'nothing' : text
}

/** Puts a shell in the sandbox and lets it try to get out. Null, or why the sandbox is not one. Its folder is made while the launcher starts. */
async function trySandbox(
  starting: Promise<LauncherSpawner>,
  name: SandboxName,
  test: SandboxTest,
): Promise<string | null> {
  const isExternal = name === 'read-only' && test.externalSandbox !== null
  if (!isExternal && !test.landlock) return LANDLOCK_OFF
  let folder: string | undefined
  try {
    folder = realpathSync(mkdtempSync(join(test.tmpDir, 'shellphone-sandbox-')))
    prepare(folder)
    const spawner = await starting
    const whyNot = isExternal ? null : whyNoLandlock(spawner.facts)
    if (whyNot !== null) return whyNot
    const output = await outputOf(spawner, name, test, folder)
    const succeeded = findSucceeded(folder)
    return succeeded.length > 0 ? `it does not stop ${succeeded.join(', ')}` : whatItSays(output, name, test)
  } catch (error) {
    return (error as Error).message
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  }
}

/** What a shell in the sandbox says of its attempts. */
async function outputOf(spawner: LauncherSpawner, name: SandboxName, test: SandboxTest, folder: string) {
  let output = ''
  const sandbox = { name, network: true, writable: [join(folder, 'work')], hidden: [join(folder, 'hidden')] }
  const child = await spawner.spawn(selfTest(toScript(folder), test, { cwd: folder, sandbox }), {
    onOutput: (_, chunk) => {
      output += chunk.toString('latin1')
    },
  })
  const over = Promise.all([child.exited, child.closed])
  await within(over, TEST_MS)
  await child.end(0)
  await over
  return output
}

/** What its words give away; null: nothing. */
function whatItSays(output: string, name: SandboxName, { externalSandbox }: SandboxTest): string | null {
  if (output.includes(marks.inherits)) return 'a descriptor from outside is open in it'
  if (!output.includes(`${marks.reads} ${CONTENT}`)) return 'a shell inside it can neither read nor write to /dev/null'
  if (output.includes(marks.changes) !== (name === 'workspace-write')) {
    return 'its workspace is not what it should be'
  }
  if (output.includes(marks.secret)) {
    return `what is hidden can be read${name === 'read-only' && externalSandbox ? HOW_TO_HIDE : ''}`
  }
  return output.includes(readEnvironment()) ? 'it lets the environment of the service be read' : null
}

/** Why Landlock cannot be used, going by what the launcher asked the kernel; null: it can. */
function whyNoLandlock({ landlockAbi, seccomp }: LauncherFacts): string | null {
  if (landlockAbi === bounds.landlockKills) return 'this system kills whoever asks for Landlock'
  if (landlockAbi === 0) return 'this kernel has no Landlock'
  if (landlockAbi < 3) return `Landlock ABI ${landlockAbi}: below 3 files can still be emptied with truncate(2)`
  return seccomp ? null : 'this kernel has no seccomp filters'
}

/**
 * Tries every sandbox that could be had here, and tells which ones hold. Never rejects, unless no launcher starts.
 * An external sandbox stands in for `read-only` alone: what it would have to make writable it cannot be told.
 */
export async function testSandboxes(starting: Promise<LauncherSpawner>, test: SandboxTest): Promise<SandboxFacts> {
  const tries = (['read-only', 'workspace-write'] as const).map((name) => trySandbox(starting, name, test))
  const { landlockAbi } = (await starting).facts
  const [readOnly, workspace] = (await Promise.all(tries)) as [string | null, string | null]
  const available: SandboxName[] = ['none']
  if (readOnly === null) available.push('read-only')
  if (workspace === null) available.push('workspace-write')
  const by = readOnly !== null ? null : test.externalSandbox ? 'external' : 'landlock'
  const reasons = [readOnly && `read-only: ${readOnly}`, workspace && `workspace-write: ${workspace}`].filter(Boolean)
  const reason = readOnly === workspace ? readOnly : reasons.join('; ')
  return { available, landlockAbi: Math.max(0, landlockAbi), by, reason }
}
