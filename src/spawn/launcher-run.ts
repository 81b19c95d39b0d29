import { constants } from 'node:os'
import type { Child, Limits, ShellExit, SpawnEvents, TreeEnd } from '../schema/index.ts'
import { ask, fromNumbers, maxPieceBytes, notes, toErrorName, toNumbers, toSignalName, told } from './launcher-protocol.ts'

/** One run's side of the conversation with the launcher. */
export interface Run {
  /** resolves when the shell runs; rejects with a plain Error when it could not be started */
  readonly started: Promise<Child>
  /** true when the launcher will say nothing more about it */
  readonly over: boolean
  onFrame(type: number, payload: Buffer): void
  /** the launcher is gone */
  lose(note: string): void
}

type Say = (type: number, payload?: Buffer) => void

const nothing: TreeEnd = { ended: 0, survivors: [] }

function createPromise<T>() {
  let resolve!: (value: T) => void
  let reject!: (error: Error) => void
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}

/** The bits of a wait status (wait(2)); -1: nobody knows. */
function toExit(status: number, note: string): ShellExit {
  const signal = status & 0x7f
  const exit =
    status < 0
      ? { exitCode: null, signal: null }
      : signal === 0
        ? { exitCode: (status >> 8) & 0xff, signal: null }
        : { exitCode: null, signal: toSignalName(signal) }
  return note === '' ? exit : { ...exit, note }
}

/** stdin, one piece under way at a time: the launcher holds no more than that. */
function createInput(say: Say) {
  let open = true
  let taken: ((ok: boolean) => void) | null = null
  let queue: Promise<unknown> = Promise.resolve()
  const writePiece = (piece: Buffer) =>
    new Promise<boolean>((resolve) => {
      taken = resolve
      say(ask.stdin, piece)
    })
  async function writeAll(data: Buffer): Promise<boolean> {
    for (let at = 0; at < data.length && open; at += maxPieceBytes) {
      if (!(await writePiece(data.subarray(at, at + maxPieceBytes)))) open = false
    }
    return open
  }
  return {
    write: (data: Buffer): Promise<boolean> => {
      const written = queue.then(() => writeAll(data))
      queue = written
      return written
    },
    end: () => {
      queue = queue.then(() => {
        if (open) say(ask.stdinEnd)
        open = false
      })
    },
    onTaken: (ok: boolean) => {
      taken?.(ok)
      taken = null
    },
    shut: () => {
      open = false
      taken?.(false)
      taken = null
    },
  }
}

/** `say` sends a frame about this run. */
export function createRun(say: Say, events: SpawnEvents, limits: Limits, shell: string, stdin: 'null' | 'pipe'): Run {
  const started = createPromise<Child>()
  const exited = createPromise<ShellExit>()
  const closed = createPromise<void>()
  const input = createInput(say)
  let lefts: ((pids: number[]) => void)[] = []
  let ends: ((end: TreeEnd) => void)[] = []
  let isClosed = false
  let isDetached = false
  let isEmpty = false
  if (stdin === 'null') input.shut()

  function setClosed() {
    isClosed = true
    closed.resolve()
  }
  function setEmpty() {
    isEmpty = true
    input.shut()
    for (const answer of lefts) answer([])
    lefts = []
  }
  function setEnded(end: TreeEnd) {
    for (const answer of ends) answer(end)
    ends = []
  }
  const ask_ = <T>(list: () => ((value: T) => void)[], none: T, type: number, payload?: Buffer) =>
    isEmpty
      ? Promise.resolve(none)
      : new Promise<T>((resolve) => {
          list().push(resolve)
          say(type, payload)
        })
  const toChild = (pid: number): Child => ({
    pid,
    exited: exited.promise,
    closed: closed.promise,
    write: input.write,
    endStdin: input.end,
    pause: () => say(ask.pause),
    resume: () => say(ask.resume),
    detach: () => {
      isDetached = true
      input.shut()
      if (!isClosed) say(ask.detach)
      closed.resolve()
    },
    signal: (name) => {
      if (!isEmpty) say(ask.signal, toNumbers(constants.signals[name]))
      return !isEmpty
    },
    leftBehind: () => ask_(() => lefts, [] as number[], ask.left),
    end: (graceMs) => ask_(() => ends, nothing, ask.end, toNumbers(Math.min(Math.ceil(graceMs), 2 ** 30))),
  })
  function fail(payload: Buffer) {
    const [errno] = fromNumbers(payload.subarray(0, 4))
    const step = payload.toString('utf8', 4)
    isClosed = true
    setEmpty()
    started.reject(new Error(`spawn ${shell} ${toErrorName(errno!)}${step === 'exec' ? '' : ` (${step})`}`))
  }
  const rows: Record<number, (payload: Buffer) => void> = {
    [told.started]: (payload) => started.resolve(toChild(payload.readInt32LE(0))),
    [told.failed]: fail,
    [told.stdout]: (chunk) => isDetached || events.onOutput('stdout', chunk),
    [told.stderr]: (chunk) => isDetached || events.onOutput('stderr', chunk),
    [told.taken]: (payload) => input.onTaken(payload.readInt32LE(0) === 1),
    [told.exited]: (payload) => {
      const [status, note] = fromNumbers(payload)
      exited.resolve(toExit(status!, notes[note!]!(limits)))
    },
    [told.closed]: setClosed,
    [told.empty]: setEmpty,
    [told.left]: (payload) => lefts.shift()?.(fromNumbers(payload)),
    [told.ended]: (payload) => {
      const [ended, ...survivors] = fromNumbers(payload)
      setEnded({ ended: ended!, survivors })
    },
  }
  return {
    started: started.promise,
    get over() {
      return isClosed && isEmpty && ends.length === 0
    },
    onFrame: (type, payload) => rows[type]?.(payload),
    lose: (note) => {
      started.reject(new Error(note))
      exited.resolve({ exitCode: null, signal: null, note })
      setClosed()
      setEmpty()
      setEnded(nothing)
    },
  }
}
