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

/** The sandboxes available on this system, for /health and for requests that name one. */
export interface SandboxFacts {
  available: SandboxName[]
  /** Landlock's ABI version; 0: none, or not requested */
  landlockAbi: number
  /** what enforces read-only */
  by: 'landlock' | 'external' | null
  /** why sandboxes are missing; null: all are available */
  reason: string | null
}

interface SandboxTest {
  /** false: make no Landlock calls (on Android, unless the owner turns them on: they have caused kernel panics) */
  landlock: boolean
  externalSandbox: string[] | null
  shell: string
  /** the test creates its directory in this one */
  tmpDir: string
  env: Record<string, string>
}

const CONTENT = 'unchanged'
/** What the self-test's script prints when something succeeds in the sandbox. */
const marks = { inherits: 'MARK_INHERITS', changes: 'MARK_CHANGES', reads: 'MARK_READS', secret: 'MARK_SECRET' }
/** Longer than the test takes on a busy machine: only a sandbox that hangs exceeds it. */
const TEST_MS = 30_000
const LANDLOCK_OFF = 'Landlock is off (it has caused kernel panics on Android, so the owner must turn it on there)'

/** What a sandboxed shell tries: each attempt uses the file of the same name in the current directory. A file that it creates is called NAME.new. */
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

/** Creates the files for the sandboxed shell's attempts. */
function prepare(folder: string) {
  for (const name of names) writeFileSync(join(folder, name), CONTENT)
  symlinkSync('symlink', join(folder, 'to-symlink'))
  for (const name of ['work', 'hidden']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'hidden', 'secret'), marks.secret)
}

/** The attempts that changed something, judged by the files and not by what the shell prints. */
function findSucceeded(folder: string): string[] {
  const files = readdirSync(folder)
  const isUnchanged = (name: string) =>
    files.includes(name) && !files.includes(`${name}.new`) && readFileSync(join(folder, name), 'utf8') === CONTENT
  return names.filter((name) => !isUnchanged(name))
}

/** The test's script. It must inherit only descriptors 0 to 2: the launcher's own, such as the sockets of its slots, start at 3. */
function toScript(folder: string): string {
  return `${Object.values(attempts).join('\n')}
for fd in 3 4 5 6 7 8 9; do true >&$fd && echo ${marks.inherits}; done
cat '${folder}/hidden/secret' /proc/${process.pid}/environ
(cd '${folder}/work' && echo x > a && mv a b && mkdir c && rm b && echo ${marks.changes})
echo x > /dev/null && echo "${marks.reads} $(cat write)"
exit 0`
}

const HOW_TO_HIDE = '; `{hidden}` in sandbox.command stands for the directories to hide, as in `--tmpfs {hidden}`'

/** The service's environment, which any process that may trace the service can read. */
function readEnvironment(): string {
  const text = readFileSync('/proc/self/environ', 'latin1')
  return text === '' ? 'nothing' : text
}

/** Runs a shell that tries to break out of the sandbox. Resolves to null if the sandbox holds, otherwise to the reason. Prepares its directory while the launcher starts. */
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
    return succeeded.length > 0 ? `it does not prevent ${succeeded.join(', ')}` : judgeOutput(output, name, test)
  } catch (error) {
    return (error as Error).message
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs the attempts in the sandbox and resolves to their output. */
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

/** The fault of the sandbox that the output shows; null: none. */
function judgeOutput(output: string, name: SandboxName, { externalSandbox }: SandboxTest): string | null {
  if (output.includes(marks.inherits)) return 'a command in it inherits a descriptor from outside'
  if (!output.includes(`${marks.reads} ${CONTENT}`)) return 'a shell in it cannot read a file or write to /dev/null'
  if (output.includes(marks.changes) !== (name === 'workspace-write')) {
    return 'its workspace is writable when it should not be, or the reverse'
  }
  if (output.includes(marks.secret)) {
    return `a command in it can read directories that it must hide, such as the service's home${name === 'read-only' && externalSandbox ? HOW_TO_HIDE : ''}`
  }
  return output.includes(readEnvironment()) ? 'a command in it can read the environment of the service' : null
}

/** Why Landlock cannot be used, according to the launcher's facts about the kernel; null: it can be used. */
function whyNoLandlock({ landlockAbi, seccomp }: LauncherFacts): string | null {
  if (landlockAbi === bounds.landlockKills) return 'this system kills a process that makes a Landlock call'
  if (landlockAbi === 0) return 'this kernel has no Landlock'
  if (landlockAbi < 3)
    return `this kernel has Landlock ABI ${landlockAbi}, which cannot prevent truncate(2); at least ABI 3 is needed`
  return seccomp ? null : 'this kernel has no seccomp filters'
}

/**
 * Tries every sandbox and reports which ones hold. Rejects only if no launcher starts.
 * An external sandbox replaces only `read-only`: its argv has no placeholder for the directories to make writable.
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
