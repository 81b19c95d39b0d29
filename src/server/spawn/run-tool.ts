import { type ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Readable } from 'node:stream'
import type { ToolEnd } from '../../shared/schema/index.ts'

/** One of the service's own tools (Termux:API, say): never a shell, never a text of an agent's but as one plain argument. */
interface ToolCall {
  /** absolute path of the program, then its arguments */
  argv: string[]
  /** the whole environment: nothing is added */
  env: Record<string, string>
  /** null: /dev/null */
  stdin: string | null
  /** after so long, milliseconds, its whole group is killed */
  timeoutMs: number
  /** kept of stdout and stderr each; the rest is read and dropped */
  maxOutputBytes: number
  /** aborting it kills the group at once */
  signal?: AbortSignal
}

/** Runs a tool as leader of a group of its own, bounded in time and output; what it leaves behind is killed. Never rejects. */
export async function runTool(call: ToolCall): Promise<ToolEnd> {
  const { argv, env, stdin, signal } = call
  const [program, ...args] = argv as [string, ...string[]]
  let child: ChildProcess
  try {
    child = spawn(program, args, { env, detached: true, stdio: [stdin === null ? 'ignore' : 'pipe', 'pipe', 'pipe'] })
  } catch (error) {
    return notStarted(error as Error) // argv too long, descriptors run out
  }
  if (signal?.aborted) killGroup(child)
  const kill = () => killGroup(child)
  const timer = setTimeout(kill, call.timeoutMs)
  signal?.addEventListener('abort', kill)
  feed(child, stdin)
  try {
    return await ended(child, call.maxOutputBytes)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', kill)
    for (const stream of child.stdio) stream?.destroy()
  }
}

const notStarted = ({ message }: Error): ToolEnd => ({
  ending: 'not_started',
  exitCode: null,
  stdout: '',
  stderr: message,
})

/** Its last words may come a little after its exit. */
const LAST_WORDS_MS = 100

/** The program's exit is the end, whoever still holds its pipes: the rest of its group is killed with it. */
function ended(child: ChildProcess, maxBytes: number): Promise<ToolEnd> {
  const stdout = keep(child.stdout!, maxBytes)
  const stderr = keep(child.stderr!, maxBytes)
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(notStarted(error)))
    child.once('exit', (exitCode, killedBy) => {
      // at once: while a member of the group lives its number is nobody else's
      killGroup(child)
      const ending = killedBy === 'SIGKILL' ? 'killed' : 'exited'
      const end = () => resolve({ ending, exitCode, stdout: stdout(), stderr: stderr() })
      // setImmediate: what lies in the pipes is read first, if this process was held up meanwhile
      const timer = setTimeout(() => setImmediate(end), LAST_WORDS_MS)
      child.once('close', () => {
        clearTimeout(timer)
        end()
      })
    })
  })
}

function keep(stream: Readable, maxBytes: number): () => string {
  const kept: Buffer[] = []
  let bytes = 0
  stream.on('data', (chunk: Buffer) => {
    const part = chunk.subarray(0, maxBytes - bytes)
    bytes += part.length
    if (part.length > 0) kept.push(part)
  })
  stream.on('error', () => {}) // what came until then is all there is
  return () => Buffer.concat(kept).toString()
}

function feed({ stdin }: ChildProcess, text: string | null): void {
  stdin?.on('error', () => {}) // EPIPE: it did not want to read it
  stdin?.end(text ?? '')
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // nobody is left in the group
  }
}

/** A program as a shell finds it on `path` (PATH's text); null: there is none. */
export function findProgram(name: string, path: string): string | null {
  const places = name.includes('/') ? [name] : path.split(delimiter).map((folder) => join(folder, name))
  return places.find(isProgram) ?? null
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false // nothing there, or nothing to be run
  }
}
