import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import type { FleetCredentials } from './access/index.ts'
import type { Executor } from './exec/index.ts'
import type { Home } from './host/index.ts'
import type { Config } from './settings.ts'
import type { LinkStatus } from '../shared/schema/index.ts'

/** The service's membership in a fleet, which follows fleet.json. */
export interface FleetMembership {
  /** Reads fleet.json and connects, reconnects or disconnects. Does nothing before the service listens. */
  reload(): void
  /** returns the state of the connection; null: the service is in no fleet */
  status(): LinkStatus | null
  /** returns messages that explain why fleet.json cannot be used */
  warnings(): string[]
  close(graceMs: number): Promise<void>
}

/** The parts of the service that a fleet membership uses. */
export interface MembershipParts {
  config: Config
  home: Home
  executor: Executor
  /** the id of this start of the service */
  instance: string
  passes: FleetCredentials
  /** the address on which the service listens; null: it does not listen yet */
  address(): AddressInfo | null
  log: Logger
}

/** Opens a membership. The command that starts the server passes this function in, because the server cannot import the fleet module. */
export type OpenMembership = (parts: MembershipParts) => FleetMembership
