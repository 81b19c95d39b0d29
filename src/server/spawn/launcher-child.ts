import { constants } from 'node:os'
import {
  type Child,
  type Limits,
  note,
  type Note,
  type ShellExit,
  type SpawnEvents,
  type SpawnRequest,
  type TreeEnd,
  type WindowSize,
} from '../../shared/schema/index.ts'
import { createPromise } from '../../shared/async/index.ts'
import { ask, bounds, endedBy, steps, told } from './launcher-numbers.ts'
import {
  fromNumbers,
  toErrorName,
  toFrame,
  toNumbers,
  toSignalName,
  toStepName,
  toWindow,
} from './launcher-protocol.ts'
import type { Carried, Slot } from './launcher-slots.ts'
import { type LauncherWatch, watchAnswer } from './launcher-watch.ts'
import { createInput, createTap, type ChildInput, type SendFrame, type Tap } from './launcher-streams.ts'

/** A run whose slot is at its end, and whether its request surely went unread. */
type OnLost = (run: LauncherChild, slot: Slot, untaken: boolean) => void

/** an answer that needs no time should come within so long … */
const ANSWER_MS = 500
/** … and the end of a tree within its grace and so much more, in which the reaper looks for what SIGKILL does not end */
const END_MS = bounds.killMs + 500

const nothing: TreeEnd = { ended: 0, survivors: [] }

/** The bits of a wait status (wait(2)), and why it was ended. */
function toExit([status, number]: number[], limits: Limits): ShellExit {
  const signal = status! & 0x7f
  const exitCode = signal === 0 ? (status! >> 8) & 0xff : null
  const exit: ShellExit = { exitCode, signal: signal === 0 ? null : toSignalName(signal) }
  if (number === endedBy.processes) return { ...exit, note: note('PROCESSES_EXCEEDED', limits.processes) }
  if (number === endedBy.cpu) return { ...exit, note: note('CPU_TIME_EXCEEDED', limits.cpuSeconds) }
  if (number === endedBy.deadline) return { ...exit, note: note('TIME_OVER'), timedOut: true }
  return number === endedBy.launcher ? { exitCode: null, signal: null, note: note('LAUNCHER_DIED') } : exit
}

/** Who waits for an answer of one kind. */
type ReplyHandlers<T> = ((answer: T) => void)[]

/** One run's side of the conversation with its reaper: the Child that its pool gets once it runs. */
export class LauncherChild implements Child, Carried {
  pid = 0
  /** from `begin` on */
  slot: Slot | null = null
  readonly closed: Promise<void>
  readonly #starting = createPromise<Child>()
  readonly #exiting = createPromise<ShellExit>()
  /** resolves when the shell runs; rejects with a plain Error when it could not be started */
  readonly started = this.#starting.promise
  readonly exited = this.#exiting.promise
  readonly #tap: Tap
  /** null: it takes none */
  readonly #input: ChildInput | null
  readonly #lefts: ReplyHandlers<number[]> = []
  readonly #ends: ReplyHandlers<TreeEnd> = []
  #watch: LauncherWatch | null = null
  #wasSpoken = false
  #isStarted = false
  #isEmpty = false

  /** `payload`: what the launcher is asked for. */
  constructor(
    private readonly request: SpawnRequest,
    private readonly payload: Buffer,
    events: SpawnEvents,
    private readonly lost: OnLost,
  ) {
    const say: SendFrame = (type, body) => this.#say(type, body)
    this.#input = request.stdin === 'pipe' ? createInput(say, request.terminal !== null) : null
    this.#tap = createTap(say, events)
    this.closed = this.#tap.closed
  }

  /** Asks for it, on a slot of its own. */
  begin(slot: Slot): void {
    this.slot = slot
    this.#watch?.stop()
    this.#watch = watchAnswer(ANSWER_MS, this)
    slot.carry(this, toFrame(ask.spawn, this.payload))
  }

  onFrame(type: number, body: Buffer): boolean {
    const numbers = type === told.stdout || type === told.stderr ? [] : fromNumbers(body)
    if (type === told.stdout) this.#tap.take('stdout', body)
    else if (type === told.stderr) this.#tap.take('stderr', body)
    else if (type === told.failed) this.#fail(body)
    else if (type === told.closed) this.#tap.end()
    else if (type === told.empty) this.#setEmpty()
    else if (type === told.started) this.#setStarted(numbers[0]!)
    else if (type === told.exited) this.#exiting.resolve(toExit(numbers, this.request.limits))
    else if (type === told.taken) this.#input?.onTaken(numbers[0] === 1)
    else if (type === told.leftList) this.#lefts.shift()?.(numbers)
    else if (type === told.ended) this.#answer(this.#ends, { ended: numbers[0]!, survivors: numbers.slice(1) })
    return this.#isEmpty && this.#tap.isAtEnd
  }

  onLost(untaken: boolean): void {
    this.lost(this, this.slot!, untaken && !this.#isStarted && !this.#wasSpoken)
  }

  /** Whoever kept it is gone. `toNote` says so; false: it is not known whether it ran. */
  lose(toNote: (isKnown: boolean) => Note): void {
    const why = toNote(this.#isStarted)
    if (!this.#isStarted) this.#setStarted(0)
    this.#exiting.resolve({ exitCode: null, signal: null, note: why })
    this.#tap.end()
    this.#setEmpty()
  }

  write(data: Buffer): Promise<boolean> {
    return this.#input?.write(data) ?? Promise.resolve(false)
  }

  endStdin(): void {
    this.#input?.end()
  }

  pause(): void {
    this.#tap.pause()
  }

  resume(): void {
    this.#tap.resume()
  }

  detach(): void {
    this.#input?.shut()
    this.#tap.detach()
  }

  resize(size: WindowSize): boolean {
    if (!this.#isEmpty) this.#say(ask.windowSize, toWindow(size))
    return !this.#isEmpty
  }

  signal(name: NodeJS.Signals): boolean {
    if (!this.#isEmpty) this.#say(ask.signal, toNumbers(constants.signals[name]))
    return !this.#isEmpty
  }

  async leftBehind(): Promise<number[]> {
    return this.#isEmpty ? [] : this.#ask(this.#lefts, ANSWER_MS, ask.left)
  }

  async end(graceMs: number): Promise<TreeEnd> {
    const ms = Math.min(Math.ceil(graceMs), 2 ** 30)
    return this.#isEmpty ? nothing : this.#ask(this.#ends, ms + END_MS, ask.end, toNumbers(ms))
  }

  #say(type: number, body?: Buffer): void {
    this.#wasSpoken = true
    this.slot?.send(body ? toFrame(type, body) : toFrame(type))
  }

  #ask<T>(waiting: ReplyHandlers<T>, ms: number, question: number, body?: Buffer): Promise<T> {
    return new Promise((resolve) => {
      const watch = watchAnswer(ms, this)
      waiting.push((answer) => {
        watch.stop()
        resolve(answer)
      })
      this.#say(question, body)
    })
  }

  #answer<T>(waiting: ReplyHandlers<T>, answer: T): void {
    for (const tell of waiting.splice(0)) tell(answer)
  }

  #setStarted(pid: number): void {
    this.pid = pid
    this.#isStarted = true
    this.#watch?.stop()
    this.#starting.resolve(this)
    setImmediate(this.#tap.begin) // whoever waits for the start has its turn before there is output
  }

  #fail(body: Buffer): void {
    const [errno, step] = fromNumbers(body)
    const name = toErrorName(errno!)
    this.#watch?.stop()
    this.#starting.reject(
      new Error(`spawn ${this.request.shell} ${name}${step === steps.exec ? '' : ` (${toStepName(step!)})`}`),
    )
    this.#tap.end()
    this.#setEmpty()
  }

  /** Nothing of its tree is left. */
  #setEmpty(): void {
    this.#isEmpty = true
    this.#input?.shut()
    if (this.#lefts.length > 0) this.#answer(this.#lefts, [])
    if (this.#ends.length > 0) this.#answer(this.#ends, nothing)
  }
}
