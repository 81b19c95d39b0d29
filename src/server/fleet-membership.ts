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
  /** null: in no fleet */
  status(): LinkStatus | null
  /** why fleet.json cannot be used, in plain words */
  warnings(): string[]
  close(graceMs: number): Promise<void>
}

/** What a fleet membership needs from the service. */
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

/** The server does not know the fleet module: the command that starts it passes this function in. */
export type OpenMembership = (parts: MembershipParts) => FleetMembership
