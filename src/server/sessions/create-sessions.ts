import { isDeepStrictEqual } from 'node:util'
import { invalid, NAME, nameMeaning, ShellphoneError, shown, toIso } from '../../shared/schema/index.ts'
import { awakeClock, type Clock, type Timer } from '../../shared/async/index.ts'
import { createOrder, type Order, type Place, sessionBusy } from './order.ts'
import { createSessionFiles, type StoredSession } from './session-files.ts'
import { newState } from './session-state.ts'
import type { OwnedSession, Sessions, SessionTurn, SessionUse } from './sessions-verbs.ts'

interface SessionsOptions {
  /** the directory of the files */
  folder: string
  /** whether a variable with this name stays in memory */
  isSecret(name: string): boolean
  /** whether a request may not set a variable with this name */
  refuses(name: string): boolean
  warn(facts: object, sentence: string): void
  now?(): number
  clock?: Clock
}

/** Limits: sessions of one token, and of all; and how long one is stored without use. */
const MAX_OF_TOKEN = 32
const MAX_SESSIONS = 128
const IDLE_MS = 86_400_000
/** A use alone is written only this much later than the last write. */
const TOUCH_MS = 3_600_000
/** How often to look for expired sessions while there are any. */
const CHECK_MS = 3_600_000

/** `stored.withheld` lists names whose values only `stored.set` in memory contains. */
interface Session {
  stored: StoredSession
  lost: string[]
  writtenAt: number
  order: Order
  isRevoked: boolean
}

const keyOf = (token: string, name: string) => JSON.stringify([token, name])
const isBusy = ({ order }: Session) => order.isBusy()

/** Opens the sessions of all tokens. */
export const createSessions = (options: SessionsOptions): Sessions => new AllSessions(options)

class AllSessions implements Sessions {
  readonly #options: SessionsOptions
  readonly #files: ReturnType<typeof createSessionFiles>
  readonly #now: () => number
  readonly #all = new Map<string, Session>()
  #timer: Timer | undefined

  constructor(options: SessionsOptions) {
    const { folder, refuses, warn, now = Date.now } = options
    this.#options = options
    this.#now = now
    this.#files = createSessionFiles(folder, warn)
    for (const stored of this.#files.read()) {
      for (const name of Object.keys(stored.set)) if (refuses(name)) delete stored.set[name]
      const { token, name, withheld: lost, used_at: writtenAt } = stored
      this.#all.set(keyOf(token, name), { ...this.#newSession({ ...stored, withheld: [] }), lost, writtenAt })
    }
    this.#expire()
  }

  enter(token: string, name: string, { writes, patienceMs }: SessionUse): SessionTurn {
    if (!writes) return this.peek(token, name)
    const session = this.#open(token, name)
    const place = session.order.join()
    if (place.isFirst()) return this.#turnOf(session, place)
    const turn = (canceled: AbortSignal) => this.#wait(session, place, patienceMs, canceled)
    return { ...this.#turnOf(session, place), state: newState(), wait: { run: session.order.current(), turn } }
  }

  async #wait(
    session: Session,
    place: Place,
    patienceMs: number | null,
    canceled: AbortSignal,
  ): Promise<SessionTurn | null> {
    const { order, stored } = session
    await place.wait({ clock: this.#options.clock ?? awakeClock, patienceMs, canceled })
    const isFirst = place.isFirst() && !canceled.aborted
    if (isFirst && this.#isAlive(session)) return this.#turnOf(session, place)
    const busyWith = order.current()
    place.leave()
    if (canceled.aborted) return null
    if (!isFirst) throw sessionBusy(stored.name, busyWith)
    if (session.isRevoked) throw new ShellphoneError('UNAUTHORIZED', 'The token was revoked')
    const next = this.enter(stored.token, stored.name, { writes: true, patienceMs }) // it was deleted while this command waited
    return next.wait ? next.wait.turn(canceled) : next
  }

  peek(token: string, name: string): SessionTurn {
    return this.#turnOf(this.#get(token, name) ?? this.#empty(token, name), null)
  }

  list(token: string | null): OwnedSession[] {
    this.#expire()
    const all = [...this.#all.values()]
    const listed = token === null ? all : all.filter(({ stored }) => stored.token === token)
    return listed.map(toInfo).sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  find(token: string, name: string): OwnedSession {
    return toInfo(existing(this.#get(token, name), name))
  }

  remove(token: string, name: string): void {
    this.#drop(existing(this.#get(token, name), name))
  }

  retain(isValid: (token: string) => boolean): void {
    for (const session of this.#all.values()) {
      if (isValid(session.stored.token)) continue
      session.isRevoked = true
      this.#drop(session)
    }
  }

  close(): void {
    this.#timer?.stop()
  }

  #empty(token: string, name: string): Session {
    return this.#newSession({ token, name, ...newState(), revision: 0, used_at: this.#now(), known: [], withheld: [] })
  }

  #newSession(stored: StoredSession): Session {
    return { stored, lost: [], writtenAt: 0, isRevoked: false, order: createOrder(stored.name) }
  }

  #get(token: string, name: string): Session | null {
    checkName(name)
    this.#expire()
    return this.#all.get(keyOf(token, name)) ?? null
  }

  #open(token: string, name: string): Session {
    const known = this.#get(token, name)
    if (known) return known
    const own = [...this.#all.values()].filter(({ stored }) => stored.token === token).length
    if (own >= MAX_OF_TOKEN) throw tooMany(`this token has ${MAX_OF_TOKEN} sessions`)
    if (this.#all.size >= MAX_SESSIONS) throw tooMany(`there are ${MAX_SESSIONS} sessions`)
    const session = this.#empty(token, name)
    this.#all.set(keyOf(token, name), session)
    return session
  }

  #isAlive(session: Session): boolean {
    return this.#all.get(keyOf(session.stored.token, session.stored.name)) === session
  }

  #drop({ stored }: Session): void {
    this.#all.delete(keyOf(stored.token, stored.name))
    if (stored.revision > 0) this.#files.remove(stored)
  }

  /** Deletes sessions that no command has used for a day. */
  #expire(): void {
    this.#timer?.stop()
    for (const session of this.#all.values()) {
      if (!isBusy(session) && session.stored.used_at + IDLE_MS <= this.#now()) this.#drop(session)
    }
    const { clock = awakeClock } = this.#options
    this.#timer = this.#all.size === 0 ? undefined : clock.startTimer(() => this.#expire(), CHECK_MS).unref()
  }

  #write(session: Session): void {
    const { stored } = session
    const { isSecret } = this.#options
    session.writtenAt = this.#now()
    const set = Object.fromEntries(Object.entries(stored.set).filter(([name]) => !isSecret(name)))
    this.#files.write({ ...stored, set, withheld: Object.keys(stored.set).filter(isSecret).sort() })
  }

  /** `place`: of the command in the order; null: it only reads the state. */
  #turnOf(session: Session, place: Place | null): SessionTurn {
    const { stored } = session
    const { name, cwd, set, unset, known } = stored
    const judged: Record<string, string> = {}
    const isKnown = (next: Record<string, string>) => (one: string) =>
      next[one] === judged[one] || (stored.known.includes(one) && next[one] === stored.set[one])
    return {
      name,
      state: { cwd, set, unset },
      known,
      lost: session.lost,
      writes: place !== null,
      wait: null,
      began: (run) => place?.began(run),
      allow: (additions) => void Object.assign(judged, additions),
      store: (next) => {
        if (!this.#isAlive(session)) return false
        const isChanged = !isDeepStrictEqual(next, { cwd, set, unset }) || session.lost.length > 0
        session.lost = []
        stored.known = Object.keys(next.set).filter(isKnown(next.set))
        Object.assign(stored, next)
        if (!isChanged && stored.revision > 0) return true
        stored.revision++
        this.#write(session)
        return true
      },
      release: () => {
        stored.used_at = this.#now()
        place?.leave()
        if (!this.#isAlive(session)) return
        if (stored.revision === 0 && !isBusy(session)) this.#drop(session)
        if (stored.revision === 0) return
        const before = stored.known.length
        if (place) stored.known = Object.keys(stored.set).filter(isKnown(stored.set))
        if (stored.known.length > before || this.#now() - session.writtenAt >= TOUCH_MS) this.#write(session)
      },
    }
  }
}

function existing(session: Session | null, name: string): Session {
  if (session) return session
  throw new ShellphoneError('NOT_FOUND', `No session has the name ${name}; list sessions to find its name`)
}

function checkName(name: string): void {
  if (NAME.test(name)) return
  throw invalid(`session: expected ${nameMeaning(NAME.source)}, got ${shown(name)}`, 'session')
}

const tooMany = (what: string) =>
  new ShellphoneError('CONFLICT', `session: ${what}, the maximum; delete one with DELETE /sessions/NAME`, {
    field: 'session',
  })

const toInfo = ({ stored, lost, order }: Session): OwnedSession => ({
  tokenId: stored.token,
  name: stored.name,
  cwd: stored.cwd,
  set: Object.keys(stored.set).sort(),
  unset: stored.unset,
  lost,
  revision: stored.revision,
  busy: order.isBusy(),
  waiting: order.waiting(),
  used_at: toIso(stored.used_at),
  expires_at: toIso(stored.used_at + IDLE_MS),
})
