import { constants } from 'node:os'
import type { Child, Limits, ShellExit, SpawnEvents, SpawnRequest, TreeEnd } from '../schema/index.ts'
import {
  ask,
  fromNumbers,
  noteDeadline,
  noteLauncher,
  notes,
  toErrorName,
  toFrame,
  told,
  toNumbers,
  toSignalName,
  toWindow,
} from './launcher-protocol.ts'
import { type Carried, type Slot, watchAnswer } from './launcher-slots.ts'
import { createInput, createTap, type Say } from './launcher-streams.ts'

/** One run's side of the conversation with its reaper. */
export interface Run extends Carried {
  /** resolves when the shell runs; rejects with a plain Error when it could not be started */
  readonly started: Promise<Child>
  /** asks for it, on a slot of its own */
  begin(slot: Slot): void
  /** whoever kept it is gone */
  lose(note: string): void
}

/** The slot at its end, and whether the request surely went unread. */
type OnLost = (run: Run, slot: Slot, untaken: boolean) => void

/** an answer that needs no time should come within so long … */
const answerMs = 500
/** … and the end of a tree within its grace and so much more, in which the reaper looks for what SIGKILL does not end */
const endMs = 2500

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

/** The bits of a wait status (wait(2)), and why it was ended. */
function toExit([status, number]: number[], limits: Limits): ShellExit {
  const signal = status! & 0x7f
  const exitCode = signal === 0 ? (status! >> 8) & 0xff : null
  const exit: ShellExit = { exitCode, signal: signal === 0 ? null : toSignalName(signal) }
  if (number === 0) return exit
  const timedOut = number === noteDeadline ? { timedOut: true as const } : {}
  const isKilled = number === noteLauncher
  return { ...(isKilled ? { exitCode: null, signal: null } : exit), note: notes[number!]!(limits), ...timedOut }
}

/** Questions of one kind that wait for an answer. */
function createQuestions<T>(open: (ms: number) => () => void) {
  let waiting: ((answer: T) => void)[] = []
  return {
    ask: (ms: number, say: () => void) =>
      new Promise<T>((resolve) => {
        const close = open(ms)
        waiting.push((answer) => {
          close()
          resolve(answer)
        })
        say()
      }),
    answerOne: (answer: T) => waiting.shift()?.(answer),
    answerAll: (answer: T) => {
      for (const resolve of waiting) resolve(answer)
      waiting = []
    },
  }
}

/** A run that is about to begin; `payload` is what the launcher is asked for. */
export function createRun(
  { limits, shell, stdin, terminal }: SpawnRequest,
  payload: Buffer,
  events: SpawnEvents,
  onLost: OnLost,
): Run {
  const started = createPromise<Child>()
  const exited = createPromise<ShellExit>()
  let slot: Slot | null = null
  let reaper = 0
  let wasSpoken = false
  let isStarted = false
  let isAtEnd = false
  let isEmpty = false
  let closeStart = () => {}

  const say: Say = (type, body) => {
    wasSpoken = true
    slot?.send(body ? toFrame(type, body) : toFrame(type))
  }
  const open = (ms: number) =>
    watchAnswer(
      ms,
      () => slot,
      () => reaper,
    )
  const input = createInput(say, stdin, terminal !== null)
  const tap = createTap(say, events)
  const lefts = createQuestions<number[]>(open)
  const ends = createQuestions<TreeEnd>(open)

  function setAtEnd() {
    isAtEnd = true
    tap.end()
  }
  function setEmpty() {
    isEmpty = true
    input.shut()
    lefts.answerAll([])
    ends.answerAll(nothing)
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
    resize: (size) => {
      if (!isEmpty) say(ask.windowSize, toWindow(size))
      return !isEmpty
    },
    signal: (name) => {
      if (!isEmpty) say(ask.signal, toNumbers(constants.signals[name]))
      return !isEmpty
    },
    leftBehind: async () => (isEmpty ? [] : lefts.ask(answerMs, () => say(ask.left))),
    end: async (graceMs) => {
      const ms = Math.min(Math.ceil(graceMs), 2 ** 30)
      return isEmpty ? nothing : ends.ask(ms + endMs, () => say(ask.end, toNumbers(ms)))
    },
  })
  function setStarted(child: Child) {
    isStarted = true
    closeStart()
    started.resolve(child)
    tap.begin()
  }
  function fail(body: Buffer) {
    const step = body.toString('utf8', 4)
    const name = toErrorName(body.readInt32LE(0))
    closeStart()
    started.reject(new Error(`spawn ${shell} ${name}${step === 'exec' ? '' : ` (${step})`}`))
    setAtEnd()
    setEmpty()
  }
  function onFrame(type: number, body: Buffer) {
    if (type === told.stdout) return tap.take('stdout', body)
    if (type === told.stderr) return tap.take('stderr', body)
    if (type === told.failed) return fail(body)
    if (type === told.closed) return setAtEnd()
    if (type === told.empty) return setEmpty()
    const numbers = fromNumbers(body)
    if (type === told.started) {
      reaper = numbers[1]!
      setStarted(toChild(numbers[0]!))
    } else if (type === told.exited) exited.resolve(toExit(numbers, limits))
    else if (type === told.taken) input.onTaken(numbers[0] === 1)
    else if (type === told.left) lefts.answerOne(numbers)
    else if (type === told.ended) ends.answerAll({ ended: numbers[0]!, survivors: numbers.slice(1) })
  }
  const run: Run = {
    started: started.promise,
    isOver: () => isAtEnd && isEmpty,
    onFrame,
    onLost: (untaken) => onLost(run, slot!, untaken && !isStarted && !wasSpoken),
    begin: (taken) => {
      slot = taken
      closeStart()
      closeStart = open(answerMs)
      slot.carry(run)
      slot.send(toFrame(ask.spawn, payload))
    },
    lose: (note) => {
      const unsure = isStarted ? '' : '; it is not known whether it ran'
      if (!isStarted) setStarted(toChild(0))
      exited.resolve({ exitCode: null, signal: null, note: note + unsure })
      setAtEnd()
      setEmpty()
    },
  }
  return run
}
