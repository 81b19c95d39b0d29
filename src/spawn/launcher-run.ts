import { constants } from 'node:os'
import {
  type Child,
  type ShellExit,
  type SpawnEvents,
  type SpawnRequest,
  type TreeEnd,
  UnknownStart,
} from '../schema/index.ts'
import { ask, fromNumbers, notes, toErrorName, told, toNumbers, toSignalName } from './launcher-protocol.ts'
import { createInput, createTap, type Say } from './launcher-streams.ts'

/** One run's side of the conversation with the launcher. */
export interface Run {
  /** resolves when the shell runs; rejects with a plain Error when it could not be started */
  readonly started: Promise<Child>
  /** true when the launcher will say nothing more about it */
  isOver(): boolean
  onFrame(type: number, payload: Buffer): void
  /** the launcher is gone */
  lose(note: string): void
}

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

/** Questions of one kind that wait for the launcher's answer. */
function createQuestions<T>(say: Say, type: number) {
  let waiting: ((answer: T) => void)[] = []
  return {
    ask: (payload?: Buffer) =>
      new Promise<T>((resolve) => {
        waiting.push(resolve)
        say(type, payload)
      }),
    answerOne: (answer: T) => waiting.shift()?.(answer),
    answerAll: (answer: T) => {
      for (const resolve of waiting) resolve(answer)
      waiting = []
    },
    isWaiting: () => waiting.length > 0,
  }
}

/** A run that the launcher is about to be asked for with a spawn frame. */
export function createRun(say: Say, { limits, shell, stdin }: SpawnRequest, events: SpawnEvents): Run {
  const started = createPromise<Child>()
  const exited = createPromise<ShellExit>()
  const input = createInput(say, stdin)
  const tap = createTap(say, events)
  const lefts = createQuestions<number[]>(say, ask.left)
  const ends = createQuestions<TreeEnd>(say, ask.end)
  let isAtEnd = false
  let isEmpty = false

  function setAtEnd() {
    isAtEnd = true
    tap.end()
  }
  function setEmpty() {
    isEmpty = true
    input.shut()
    lefts.answerAll([])
  }
  const toChild = (pid: number): Child => ({
    pid,
    exited: exited.promise,
    closed: tap.closed,
    write: input.write,
    endStdin: input.end,
    pause: tap.pause,
    resume: tap.resume,
    detach: () => {
      input.shut()
      tap.detach()
    },
    signal: (name) => {
      if (!isEmpty) say(ask.signal, toNumbers(constants.signals[name]))
      return !isEmpty
    },
    leftBehind: async () => (isEmpty ? [] : lefts.ask()),
    end: async (graceMs) => (isEmpty ? nothing : ends.ask(toNumbers(Math.min(Math.ceil(graceMs), 2 ** 30)))),
  })
  function fail(payload: Buffer) {
    const step = payload.toString('utf8', 4)
    const name = toErrorName(payload.readInt32LE(0))
    started.reject(new Error(`spawn ${shell} ${name}${step === 'exec' ? '' : ` (${step})`}`))
    setAtEnd()
    setEmpty()
  }
  function setStarted(payload: Buffer) {
    started.resolve(toChild(payload.readInt32LE(0)))
    tap.begin()
  }
  function setExited(payload: Buffer) {
    const [status, note] = fromNumbers(payload)
    exited.resolve(toExit(status!, notes[note!]!(limits)))
  }
  function setEnded(payload: Buffer) {
    const [ended, ...survivors] = fromNumbers(payload)
    ends.answerAll({ ended: ended!, survivors })
  }
  function onFrame(type: number, payload: Buffer) {
    if (type === told.stdout) tap.take('stdout', payload)
    else if (type === told.stderr) tap.take('stderr', payload)
    else if (type === told.started) setStarted(payload)
    else if (type === told.exited) setExited(payload)
    else if (type === told.closed) setAtEnd()
    else if (type === told.empty) setEmpty()
    else if (type === told.failed) fail(payload)
    else if (type === told.taken) input.onTaken(payload.readInt32LE(0) === 1)
    else if (type === told.left) lefts.answerOne(fromNumbers(payload))
    else if (type === told.ended) setEnded(payload)
  }
  return {
    started: started.promise,
    isOver: () => isAtEnd && isEmpty && !ends.isWaiting(),
    onFrame,
    lose: (note) => {
      started.reject(new UnknownStart(note))
      exited.resolve({ exitCode: null, signal: null, note })
      setAtEnd()
      setEmpty()
      ends.answerAll(nothing)
    },
  }
}
