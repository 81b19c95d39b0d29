import type { ChildProcess } from 'node:child_process'
import { statSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { MARK_NAME, type SpawnRequest } from '../../shared/schema/index.ts'
import type { Streams } from './open-channels.ts'
import { newestPid, readStat } from './scan-processes.ts'
import { shellArgv } from './shell-argv.ts'

/** A shell that Node has started, and our ends of its channels. */
export interface StartedShell {
  child: ChildProcess
  streams: Streams
  /** what it starts is born after this pid */
  since: number
}

/** The shell that the next command becomes: to start one is most of what a lone command costs through Node. */
interface WaitingShell {
  /** The one that waits, told what it shall run; null: none does, or it cannot become this. */
  take(request: SpawnRequest): StartedShell | null
  /** Such a command has ended: when nothing has been started for a moment, a shell for the like of it waits. */
  prepare(request: SpawnRequest): void
  close(): Promise<void>
}

interface Waiting extends StartedShell {
  kind: string
  env: SpawnRequest['env']
}

/** In a row of commands the next is there before; then a start in between would only cost. */
const QUIET_MS = 20
/** a shell reads its line byte by byte */
const MAX_SCRIPT_CHARS = 1024
/** what every shell reads as it was written */
const plain = /^[\t\n -~]*$/

/** Waits for one line on descriptor 3 and becomes what it says. Where nobody is there any more to say it, it ends. */
const wait = `nl='\n'; IFS= read -r go <&3 && eval "$go"`

const quote = (text: string) => `'${text.replaceAll("'", "'\\''").replaceAll('\n', `'"$nl"'`)}'`

function toLine({ shell, script, mark }: SpawnRequest): string {
  const words = [shell, ...shellArgv(shell, script)].map(quote).join(' ')
  return `export ${MARK_NAME}=${quote(mark)}; exec ${words} 3<&-\n`
}

/** What cannot be changed once a shell has started; the folder itself, not its name. null: there is none to be seen. */
function kindOf({ shell, cwd, limits }: SpawnRequest): string | null {
  try {
    const { dev, ino } = statSync(cwd, { bigint: true })
    return [shell, cwd, dev, ino, JSON.stringify(limits)].join('\0')
  } catch {
    return null
  }
}

const isTellable = ({ stdin, script }: SpawnRequest) =>
  stdin === 'null' && script.length <= MAX_SCRIPT_CHARS && plain.test(script)

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

/** `start` with a pipe as descriptor 3. */
export function createWaitingShell(start: (request: SpawnRequest) => Promise<StartedShell>): WaitingShell {
  let waiting: Waiting | null = null
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  function isFor(request: SpawnRequest): boolean {
    if (waiting === null || hasEnded(waiting.child)) return false
    // it may have been killed just now, and Node has not heard of it
    const isAlive = readStat(waiting.child.pid!)?.alive !== false
    return isAlive && waiting.env === request.env && waiting.kind === kindOf(request)
  }
  function letGo(): Promise<void> {
    const left = waiting
    waiting = null
    if (left === null) return Promise.resolve()
    for (const stream of [left.child.stdio[3], left.streams.stdout, left.streams.stderr]) stream?.destroy()
    return hasEnded(left.child) ? Promise.resolve() : new Promise((resolve) => left.child.once('exit', () => resolve()))
  }
  async function make(request: SpawnRequest) {
    const kind = kindOf(request)
    if (kind === null || isFor(request)) return
    // the mark of no run: it belongs to none yet
    const started = await start({ ...request, script: wait, mark: 'waiting' }).catch(() => null)
    if (started === null) return
    started.child.stdio[3]!.on('error', () => {}) // EPIPE: it is gone, and 'exit' follows
    void letGo()
    waiting = { ...started, kind, env: request.env }
    if (isClosed) void letGo()
  }
  return {
    take(request) {
      clearTimeout(timer)
      if (!isTellable(request) || !isFor(request)) return null
      const { child, streams, since } = waiting!
      waiting = null
      const newest = newestPid()
      ;(child.stdio[3] as Writable).end(toLine(request))
      return { child, streams, since: newest ?? since }
    },
    prepare(request) {
      clearTimeout(timer)
      if (isTellable(request) && !isClosed) timer = setTimeout(() => void make(request), QUIET_MS).unref()
    },
    close() {
      isClosed = true
      clearTimeout(timer)
      return letGo()
    },
  }
}
