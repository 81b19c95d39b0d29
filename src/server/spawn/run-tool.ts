import { type ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Readable } from 'node:stream'
import type { ToolEnd } from '../../shared/schema/index.ts'

/** A call of one of the service's own tools, such as Termux:API. It never runs a shell; text from an agent is only ever one plain argument. */
interface ToolCall {
  /** absolute path of the program, then its arguments */
  argv: string[]
  /** the whole environment */
  env: Record<string, string>
  /** null: /dev/null */
  stdin: string | null
  /** milliseconds after which its whole group is killed */
  timeoutMs: number
  /** limit for each of stdout and stderr; the rest is read and dropped */
  maxOutputBytes: number
  /** aborting it kills the group immediately */
  signal?: AbortSignal
}

/** Runs a tool as the leader of its own process group, with limits on time and output, and kills the processes that it leaves behind. Never rejects. */
export async function runTool(call: ToolCall): Promise<ToolEnd> {
  const { argv, env, stdin, signal } = call
  const [program, ...args] = argv as [string, ...string[]]
  let child: ChildProcess
  try {
    child = spawn(program, args, { env, detached: true, stdio: [stdin === null ? 'ignore' : 'pipe', 'pipe', 'pipe'] })
  } catch (error) {
    return notStarted(error as Error) // argv too long, or out of descriptors
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

/** How long output may still arrive after the exit. */
const LAST_WORDS_MS = 100

/** Resolves when the program exits, even if another process still has its pipes open, and kills the rest of its group. */
function ended(child: ChildProcess, maxBytes: number): Promise<ToolEnd> {
  const stdout = keep(child.stdout!, maxBytes)
  const stderr = keep(child.stderr!, maxBytes)
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(notStarted(error)))
    child.once('exit', (exitCode, killedBy) => {
      // immediately: the group's id may be reused once no member is left
      killGroup(child)
      const ending = killedBy === 'SIGKILL' ? 'killed' : 'exited'
      const end = () => resolve({ ending, exitCode, stdout: stdout(), stderr: stderr() })
      // setImmediate: if the timer fires late, the contents of the pipes are read first
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
  stream.on('error', () => {}) // the output so far is kept
  return () => Buffer.concat(kept).toString()
}

function feed({ stdin }: ChildProcess, text: string | null): void {
  stdin?.on('error', () => {}) // EPIPE: the tool does not read its stdin
  stdin?.end(text ?? '')
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // no process is left in the group
  }
}

/** Finds a program as a shell does; `path` is the value of PATH. null: not found. */
export function findProgram(name: string, path: string): string | null {
  const places = name.includes('/') ? [name] : path.split(delimiter).map((folder) => join(folder, name))
  return places.find(isProgram) ?? null
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false // missing or not executable
  }
}
