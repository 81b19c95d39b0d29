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
import { requests, bounds, endedBy, steps, messages } from './launcher-numbers.ts'
import {
  fromNumbers,
  toErrorName,
  toFrame,
  toNumbers,
  toSignalName,
  toStepName,
  toWindow,
} from './launcher-protocol.ts'
import type { SlotRun, Slot } from './launcher-slots.ts'
import { type LauncherWatch, watchAnswer } from './launcher-watch.ts'
import { createInput, createTap, type ChildInput, type SendFrame, type Tap } from './launcher-streams.ts'

/** Called when a run's slot has closed. `untaken`: the request was certainly not read. */
type OnLost = (run: LauncherChild, slot: Slot, untaken: boolean) => void

/** time limit for a response that needs no work */
const ANSWER_MS = 500
/** time limit, beyond the grace period, for killing a tree: the reaper scans it for up to `killMs` after SIGKILL */
const END_MS = bounds.killMs + 500

const nothing: TreeEnd = { ended: 0, survivors: [] }

/** Decodes a wait status (wait(2)) and the reason why the run was ended. */
function toExit([status, number]: number[], limits: Limits): ShellExit {
  const signal = status! & 0x7f
  const exitCode = signal === 0 ? (status! >> 8) & 0xff : null
  const exit: ShellExit = { exitCode, signal: signal === 0 ? null : toSignalName(signal) }
  if (number === endedBy.processes) return { ...exit, note: note('PROCESSES_EXCEEDED', limits.processes) }
  if (number === endedBy.cpu) return { ...exit, note: note('CPU_TIME_EXCEEDED', limits.cpuSeconds) }
  if (number === endedBy.deadline) return { ...exit, note: note('TIME_OVER'), timedOut: true }
  return number === endedBy.launcher ? { exitCode: null, signal: null, note: note('LAUNCHER_DIED') } : exit
}

/** the frames whose payload is not a list of numbers */
const BYTES = new Set<number>([messages.stdout, messages.stderr, messages.state])

/** Callbacks that wait for one kind of response. */
type ReplyHandlers<T> = ((answer: T) => void)[]

/** The service's side of one run: talks to the run's reaper, and is the `Child` that the pool receives when the shell has started. */
export class LauncherChild implements Child, SlotRun {
  pid = 0
  /** set by `begin` */
  slot: Slot | null = null
  readonly closed: Promise<void>
  readonly #starting = createPromise<Child>()
  readonly #exiting = createPromise<ShellExit>()
  /** resolves when the shell runs; rejects with a plain Error when it could not be started */
  readonly started = this.#starting.promise
  readonly exited = this.#exiting.promise
  readonly #tap: Tap
  /** null: stdin is /dev/null */
  readonly #input: ChildInput | null
  readonly #lefts: ReplyHandlers<number[]> = []
  readonly #ends: ReplyHandlers<TreeEnd> = []
  #watch: LauncherWatch | null = null
  #state: Pick<ShellExit, 'state'> = {}
  #wasSpoken = false
  #isStarted = false
  #isEmpty = false

  /** `payload`: the payload of the spawn frame. */
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

  /** Sends the spawn request on `slot`. */
  begin(slot: Slot): void {
    this.slot = slot
    this.#watch?.stop()
    this.#watch = watchAnswer(ANSWER_MS, this)
    slot.carry(this, toFrame(requests.spawn, this.payload))
  }

  onFrame(type: number, body: Buffer): boolean {
    const numbers = BYTES.has(type) ? [] : fromNumbers(body)
    if (type === messages.stdout) this.#tap.take('stdout', body)
    else if (type === messages.stderr) this.#tap.take('stderr', body)
    else if (type === messages.failed) this.#fail(body)
    else if (type === messages.closed) this.#tap.end()
    else if (type === messages.empty) this.#setEmpty()
    else if (type === messages.started) this.#setStarted(numbers[0]!)
    else if (type === messages.state) this.#state = { state: body }
    else if (type === messages.exited)
      this.#exiting.resolve({ ...toExit(numbers, this.request.limits), ...this.#state })
    else if (type === messages.taken) this.#input?.onTaken(numbers[0] === 1)
    else if (type === messages.leftList) this.#lefts.shift()?.(numbers)
    else if (type === messages.ended) this.#answer(this.#ends, { ended: numbers[0]!, survivors: numbers.slice(1) })
    return this.#isEmpty && this.#tap.isAtEnd
  }

  onLost(untaken: boolean): void {
    this.lost(this, this.slot!, untaken && !this.#isStarted && !this.#wasSpoken)
  }

  /** Ends the run after its reaper has died, with the note from `toNote`. `isKnown`: whether the command is known to have started. */
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
    if (!this.#isEmpty) this.#say(requests.windowSize, toWindow(size))
    return !this.#isEmpty
  }

  signal(name: NodeJS.Signals): boolean {
    if (!this.#isEmpty) this.#say(requests.signal, toNumbers(constants.signals[name]))
    return !this.#isEmpty
  }

  async leftBehind(): Promise<number[]> {
    return this.#isEmpty ? [] : this.#ask(this.#lefts, ANSWER_MS, requests.left)
  }

  async end(graceMs: number): Promise<TreeEnd> {
    const ms = Math.min(Math.ceil(graceMs), 2 ** 30)
    return this.#isEmpty ? nothing : this.#ask(this.#ends, ms + END_MS, requests.end, toNumbers(ms))
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
    for (const resolve of waiting.splice(0)) resolve(answer)
  }

  #setStarted(pid: number): void {
    this.pid = pid
    this.#isStarted = true
    this.#watch?.stop()
    this.#starting.resolve(this)
    setImmediate(this.#tap.begin) // callers that await the start continue before any output is delivered
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

  /** Called when no process of the tree is left. */
  #setEmpty(): void {
    this.#isEmpty = true
    this.#input?.shut()
    if (this.#lefts.length > 0) this.#answer(this.#lefts, [])
    if (this.#ends.length > 0) this.#answer(this.#ends, nothing)
  }
}
