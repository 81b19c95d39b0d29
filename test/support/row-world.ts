import { setMaxListeners } from 'node:events'
import { createDelivery } from '../../src/fleet/plane/jobs/deliver.ts'
import type { DeliveryParts } from '../../src/fleet/plane/jobs/deliver-job.ts'
import { type Job, stateOf, toJob } from '../../src/fleet/plane/jobs/job-types.ts'
import type { JobRow } from '../../src/fleet/plane/jobs/phone-results.ts'
import { createJobs } from '../../src/fleet/plane/jobs/jobs.ts'
import type { Piece } from '../../src/fleet/plane/calls/phone-requests.ts'
import type { PhoneRequest } from '../../src/fleet/plane/calls/phone-request.ts'
import { isSettled, type JobState } from '../../src/fleet/plane/jobs/row-states.ts'
import type { StoredMessage } from '../../src/fleet/plane/broker/job-streams.ts'
import { ShellphoneError } from '../../src/shared/schema/index.ts'

/** How a message travels. timeout: its sender gives up, and it arrives later. twice: it arrives, its reply is lost, and it arrives again. */
export type Travel = 'arrives' | 'timeout' | 'lost' | 'twice'

/** A message in transit, or an unfinished pause. */
interface Traveling {
  label: string
  /** delivers the message, or ends the pause */
  arrive(): void
  /** The sender gives up. */
  giveUp(): void
  isPause: boolean
}

interface Run {
  id: string
  key: string
  status: 'queued' | 'running' | 'completed' | 'canceled' | 'failed'
}

/** What a test knows about a job besides its row. */
interface JobFacts {
  job: Job
  /** starts of its command, on any home */
  starts: number
  saidExpired: boolean
  /** the response to DELETE */
  cancel: 'withdrawn' | 'canceling' | 'settled' | null
  /** the phone's home was wiped after it was submitted */
  wasWiped: boolean
}

const NAME = 'pixel'
const PLANES = 2
const MINUTE_MS = 60_000
const unavailable = () => new ShellphoneError('BROKER_UNAVAILABLE', 'no broker')
const isLive = ({ status }: Run) => status === 'queued' || status === 'running'

/** Runs everything that does not wait for a message. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A broker's streams, one phone and two planes in memory. Messages travel when the test says so; the planes' code is the real one. */
export class RowWorld {
  /** the broker's clock */
  nowMs = 0
  traveling: Traveling[] = []
  known: JobFacts[] = []
  phone = new FakePhone(this)
  planes: FakePlane[] = []
  /** errors seen so far */
  wrongs: string[] = []
  #rows = new Map<string, StoredMessage<string>>()
  #sequence = 0

  constructor() {
    for (let at = 0; at < PLANES; at++) this.planes.push(new FakePlane(this))
  }

  submit(ttlSeconds: number, request: object): void {
    const id = `job${this.known.length}`
    const job = toJob({ id, by: 'owner', request, phones: [NAME], ttl_seconds: ttlSeconds }, this.nowMs)
    this.known.push({ job, starts: 0, saidExpired: false, cancel: null, wasWiped: false })
    for (const plane of this.planes) plane.take(job)
  }

  row({ id }: Job): StoredMessage<JobRow> | null {
    const found = this.#rows.get(`sp.work.${NAME}.${id}`)
    return found === undefined ? null : { ...found, value: JSON.parse(found.value) as JobRow }
  }

  write(subject: string, value: string, expected: number): { seq: number } {
    const before = this.#rows.get(subject)
    if ((before?.sequence ?? 0) !== expected) throw Object.assign(new Error('wrong last sequence'), { code: 10_071 })
    this.#sequence += 1
    this.#rows.set(subject, { value, sequence: this.#sequence, atMs: this.nowMs })
    this.#checkRow(before?.value, value, subject)
    return { seq: this.#sequence }
  }

  #checkRow(before: string | undefined, value: string, subject: string): void {
    if (before === undefined) return
    const [from, to] = [JSON.parse(before) as JobRow, JSON.parse(value) as JobRow]
    if (isSettled(from.state)) this.wrongs.push(`${subject}: ${from.state} was settled, and became ${to.state}`)
    if (from.state === 'running' && to.state === 'accepted') this.wrongs.push(`${subject}: running became accepted`)
    if (from.cancel && !to.cancel) this.wrongs.push(`${subject}: the cancel was forgotten`)
  }

  read(subject: string) {
    const found = this.#rows.get(subject)
    if (found === undefined) return null
    return { json: () => JSON.parse(found.value), seq: found.sequence, time: new Date(found.atMs) }
  }

  /** Resolves when the message and its reply have arrived. */
  travel<T>(label: string, isOpen: () => boolean, effect: () => T, gone: () => Error): Promise<T> {
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(gone())
      const arrive = () => {
        try {
          const found = effect()
          const back = () => (isOpen() ? resolve(found) : giveUp())
          this.traveling.push({ label: `answer to ${label}`, arrive: back, giveUp, isPause: false })
        } catch (error) {
          reject(error)
        }
      }
      this.traveling.push({ label, arrive, giveUp, isPause: false })
    })
  }

  /** Delivers the nth message in transit. */
  async step(n: number, how: Travel): Promise<void> {
    if (this.traveling.length > 0) {
      const at = n % this.traveling.length
      const one = this.traveling[at]!
      const isKept = how === 'timeout' && !one.isPause
      if (!isKept) this.traveling.splice(at, 1)
      if (isKept || (how === 'lost' && !one.isPause)) one.giveUp()
      else one.arrive()
      if (how === 'twice' && !one.isPause) one.arrive()
    }
    await settle()
    this.#listen()
  }

  /** Checks the state that each plane reports. */
  #listen(): void {
    for (const known of this.known) {
      for (const { clock } of this.planes) {
        const state = stateOf(known.job, this.row(known.job), clock.brokerNow())
        if (state === 'expired') known.saidExpired = true
        else if (known.saidExpired && state !== 'queued') this.wrongs.push(`${known.job.id}: expired became ${state}`)
      }
      if (known.starts > 1) this.wrongs.push(`${known.job.id} ran twice`)
      if (known.saidExpired && known.starts > 0) this.wrongs.push(`${known.job.id} ran, and is called expired`)
      const isWithdrawn = this.row(known.job)?.value.state === 'withdrawn'
      if (isWithdrawn && known.starts > 0) this.wrongs.push(`${known.job.id} ran, and is called withdrawn`)
    }
  }

  stateOf({ job }: JobFacts): JobState {
    return stateOf(job, this.row(job), this.nowMs)
  }

  /** The phone's connection to the broker: down, or up again with a hello to every plane. */
  connectPhone(isUp: boolean): void {
    this.phone.connect(isUp)
    if (!isUp) return
    for (const plane of this.planes) {
      plane.home = this.phone.home
      plane.failCalls()
      plane.kick()
    }
  }

  restartPlane(at: number): void {
    this.planes[at % PLANES]!.stop()
    const plane = new FakePlane(this)
    plane.home = this.phone.home
    this.planes[at % PLANES] = plane
    for (const known of this.known) {
      const row = this.row(known.job)
      if (row === null || !isSettled(row.value.state)) plane.take(known.job)
    }
  }

  /** Repairs all connections; every run ends except those that must be canceled. Resolves when nothing more happens. */
  async heal(): Promise<void> {
    for (const plane of this.planes) Object.assign(plane, { isUp: true, skewMs: 0 })
    for (let rounds = 0; rounds < 200; rounds++) {
      this.connectPhone(true)
      for (let hops = 0; this.traveling.length > 0 && hops < 100; hops++) {
        this.phone.endRuns((key) => this.known.find(({ job }) => job.id === key)?.cancel !== 'canceling')
        await this.step(0, 'arrives')
      }
      if (this.known.every((known) => isSettled(this.stateOf(known)))) return
      this.nowMs += MINUTE_MS
    }
  }

  /** After `heal`: the broken invariants by name. */
  broken(): Record<'ranTwice' | 'lost' | 'expiredButRan' | 'canceledButRanOn', string[]> {
    const ids = (is: (known: JobFacts) => boolean) => this.known.filter(is).map(({ job }) => job.id)
    const isLost = (known: JobFacts) => {
      const state = this.stateOf(known)
      if (!isSettled(state)) return true
      if (state === 'unknown') return !known.wasWiped
      return known.starts > 0 ? state !== 'ended' : this.row(known.job)?.value.status === 'completed'
    }
    return {
      ranTwice: ids(({ starts }) => starts > 1),
      lost: ids(isLost),
      expiredButRan: ids((known) => known.starts > 0 && (known.saidExpired || this.stateOf(known) === 'expired')),
      canceledButRanOn: ids(({ cancel, job }) => cancel === 'canceling' && this.phone.isRunning(job.id)),
    }
  }
}

/** A phone's side of the planes' calls; keys and records survive a restart. */
class FakePhone {
  home = 'home0'
  isConnected = true
  /** changes with each connection, which loses the messages in transit */
  connection = 0
  #runs: Run[] = []
  #count = 0

  constructor(readonly world: RowWorld) {}

  connect(isUp: boolean): void {
    this.isConnected = isUp
    this.connection += 1
  }

  restart(): void {
    for (const run of this.#runs) if (isLive(run)) run.status = 'failed'
  }

  wipe(): void {
    this.#count += 1
    this.home = `home${this.#count}`
    this.#runs = []
    for (const known of this.world.known) known.wasWiped = true
  }

  /** Commands end on their own, and people approve. */
  endRuns(isMeant: (key: string) => boolean): void {
    for (const run of this.#runs) {
      if (!isLive(run) || !isMeant(run.key)) continue
      this.#start(run)
      run.status = 'completed'
    }
  }

  approve(): void {
    for (const run of this.#runs) this.#start(run)
  }

  isRunning = (key: string) => this.#runs.some((run) => run.key === key && isLive(run))

  #start(run: Run): void {
    if (run.status !== 'queued') return
    run.status = 'running'
    this.world.known.find(({ job }) => job.id === run.key)!.starts += 1
  }

  /** The parts of a response, each read when it is sent; the last one says how it ends. */
  answer(question: PhoneRequest): (() => Partial<Piece> & { end?: 'eof' | 'more' })[] {
    const { method, path, home } = question
    const text = (status: number, body: object) => [
      () => ({ status, data: Buffer.from(JSON.stringify(body)), end: 'eof' as const }),
    ]
    const error = (status: number, type: string) => text(status, { error: { type, message: 'no' } })
    if (home !== undefined && home !== this.home) return error(409, 'wrong_home')
    if (path === '/health') return text(200, {})
    if (path === '/exec') return this.#exec(question, error)
    const run = this.#runs.find(({ id }) => path.split('?')[0] === `/runs/${id}`)
    if (run === undefined) return error(404, 'not_found')
    if (method === 'DELETE' && isLive(run)) run.status = 'canceled'
    return [() => text(200, toRecord(run))[0]!()]
  }

  #exec(question: PhoneRequest, error: (status: number, type: string) => ReturnType<FakePhone['answer']>) {
    const request = JSON.parse(Buffer.from(question.body!).toString()) as { asks?: boolean; isWrong?: boolean }
    if (request.isWrong) return error(400, 'validation_error')
    const key = question.headers!['idempotency-key']!
    const run = this.#runs.find((one) => one.key === key) ?? this.#take(key, request.asks === true)
    const head = () => ({
      ...{ status: 200, headers: { 'run-id': run.id } },
      data: toEvents(run.status === 'queued' ? ['note', {}] : ['status', { status: 'running' }]),
    })
    const rest = (): ReturnType<ReturnType<FakePhone['answer']>[number]> =>
      isLive(run)
        ? { data: new Uint8Array(), end: 'more' }
        : { data: toEvents(['result', { type: 'result', ...toRecord(run) }]), end: 'eof' }
    return [head, rest]
  }

  #take(key: string, asks: boolean): Run {
    this.#count += 1
    const run: Run = { id: `run${this.#count}`, key, status: 'queued' }
    this.#runs.push(run)
    if (!asks) this.#start(run)
    return run
  }
}

const toRecord = ({ id, status }: Run) => ({ id, status, exit_code: 0, output: '', truncated: false })
const toEvents = ([event, data]: [string, object]) => Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)

/** A plane's jobs, created as in `openPlane`, on the world's broker. */
class FakePlane {
  /** its connection to the broker */
  isUp = true
  /** how far its estimate of the broker's clock is ahead */
  skewMs = 0
  home: string | undefined = 'home0'
  readonly clock: DeliveryParts['clock']
  #jobs = new Map<string, Job>()
  #stop = new AbortController()
  #delivery: ReturnType<typeof createDelivery>
  #withdraw: ReturnType<typeof createJobs>['withdraw']
  #calls = new Set<() => void>()
  #isBusy = false
  #again = false

  constructor(readonly world: RowWorld) {
    setMaxListeners(0, this.#stop.signal) // each call and each pause adds a listener
    this.clock = {
      brokerNow: () => world.nowMs + this.skewMs,
      monotonicMs: () => world.nowMs,
      pause: (ms, signal) => this.#pause(ms, signal),
      close() {},
    }
    const link = this.#link()
    const index = {
      of: () => [...this.#jobs.values()],
      settle: (_name: string, job: string) => this.#jobs.delete(job),
      pairs: () => this.#jobs.size,
    }
    const phones = { homeOf: () => this.home, isRevoked: () => false, mustBeOne() {} }
    const parts = { link, index, phones, phoneRequests: this.#phoneRequests(), clock: this.clock, log() {} }
    this.#delivery = createDelivery(parts as unknown as DeliveryParts, () => {}, this.#stop.signal)
    this.#withdraw = createJobs(parts.link as never, index as never, this.clock, 10).withdraw
  }

  take(job: Job): void {
    this.#jobs.set(job.id, job)
    this.kick()
  }

  /** Does the same as `createDispatch`. */
  kick(): void {
    if (this.#isBusy) return void (this.#again = true)
    void this.#work()
  }

  async #work(): Promise<void> {
    this.#isBusy = true
    do {
      this.#again = false
      await this.#delivery.deliver(NAME).catch(() => true)
    } while (this.#again && !this.#stop.signal.aborted)
    this.#isBusy = false
  }

  async cancel(known: JobFacts): Promise<void> {
    const found = await this.#withdraw(known.job).catch(() => null)
    const became = found?.get(NAME)
    if (became === undefined || this.#stop.signal.aborted) return
    known.cancel ??= became
    if (became !== 'canceling') return
    this.#delivery.cancel(NAME, known.job.id)
    this.kick()
  }

  stop(): void {
    this.#stop.abort()
    this.isUp = false
    this.failCalls()
  }

  /** Fails the pending calls, which are then repeated. */
  failCalls(): void {
    for (const fail of [...this.#calls]) fail()
  }

  #pause(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const arrive = () => {
        if (!signal?.aborted) this.world.nowMs += ms
        resolve()
      }
      this.world.traveling.push({ label: `pause ${ms}`, arrive, giveUp: arrive, isPause: true })
      signal?.addEventListener('abort', () => resolve(), { once: true })
    })
  }

  #link() {
    const { world } = this
    const mustBeUp = () => {
      if (!this.isUp) throw unavailable()
    }
    const isOpen = () => this.isUp
    const gone = () => new Error('timeout')
    const publish = (subject: string, text: string, { expect }: { expect: { lastSubjectSequence: number } }) => {
      const write = () => world.write(subject, text, expect.lastSubjectSequence)
      return world.travel(`write ${text}`, isOpen, write, gone)
    }
    const getMessage = (_stream: string, { last_by_subj }: { last_by_subj: string }) =>
      world.travel('read', isOpen, () => world.read(last_by_subj), gone)
    return { mustBeUp, isUp: isOpen, js: { publish }, jsm: { streams: { getMessage } } }
  }

  #phoneRequests() {
    const stream = (request: PhoneRequest, onPiece: (piece: Piece) => void) => this.#ask(request, onPiece)
    const fetch = async (request: PhoneRequest) => {
      const pieces: Piece[] = []
      const { end } = await stream(request, (piece) => pieces.push(piece))
      const { status = 0 } = pieces[0] ?? {}
      return { status, headers: {}, trailers: {}, end, body: Buffer.concat(pieces.map(({ data }) => data)) }
    }
    return { stream, fetch, phoneReconnected: () => this.failCalls(), open: () => this.#calls.size, close() {} }
  }

  async #ask(question: PhoneRequest, take: (piece: Piece) => void): Promise<{ end: 'eof' | 'more' }> {
    if (!this.isUp) throw unavailable()
    const { world } = this
    const silent = () => new ShellphoneError('PHONE_SILENT', 'no answer')
    return new Promise((resolve, reject) => {
      let isOver = false
      const finish = (act: () => void) => {
        if (!isOver) act()
        isOver = true
        this.#calls.delete(fail)
      }
      const fail = () => finish(() => reject(silent()))
      this.#calls.add(fail)
      question.signal?.addEventListener('abort', fail, { once: true })
      const say = (parts: ReturnType<FakePhone['answer']>, connection: number) => {
        const [first, ...rest] = parts
        if (first === undefined) return
        const arrive = () => {
          if (connection !== world.phone.connection || !this.isUp) return fail()
          const { end, data = new Uint8Array(), ...piece } = first()
          if (!isOver) take({ ...piece, data })
          if (end !== undefined) return finish(() => resolve({ end }))
          say(rest, connection)
        }
        world.traveling.push({ label: `answer to ${question.path}`, arrive, giveUp: fail, isPause: false })
      }
      const arrive = () => {
        const { phone } = world
        if (phone.isConnected) return say(phone.answer(question), phone.connection)
        finish(() => reject(new ShellphoneError('PHONE_OFFLINE', 'nobody listens')))
      }
      world.traveling.push({ label: `${question.method} ${question.path}`, arrive, giveUp: fail, isPause: false })
    })
  }
}
