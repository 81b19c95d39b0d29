import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import type { Passes } from './access/index.ts'
import type { Executor } from './exec/index.ts'
import type { Home } from './host/index.ts'
import type { Config } from './settings.ts'
import type { LinkStatus } from '../shared/schema/index.ts'

/** The service's place in a fleet, taken and left as fleet.json comes and goes. */
export interface FleetMembership {
  /** Reads fleet.json: connects, connects anew, or leaves. Before the service listens it does nothing. */
  look(): void
  /** null: in no fleet */
  status(): LinkStatus | null
  /** plain words on a fleet.json that cannot be used */
  warnings(): string[]
  close(graceMs: number): Promise<void>
}

/** What a seat is given. */
export interface MembershipParts {
  config: Config
  home: Home
  executor: Executor
  /** of this start */
  instance: string
  passes: Passes
  /** where the service listens; null: it does not yet */
  address(): AddressInfo | null
  log: Logger
}

/** The server knows no fleet: who starts it says how a seat is opened. */
export type OpenMembership = (parts: MembershipParts) => FleetMembership
