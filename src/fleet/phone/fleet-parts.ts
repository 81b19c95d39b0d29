import type { CallClass, FleetFile, LinkStatus } from '../../shared/schema/index.ts'

type ApprovalRequested = { type: 'approval_requested'; approval: { id: string; run_id: string } }
type ApprovalDecided = { type: 'approval_decided' }

/** The parts of the service that the fleet link uses. */
export interface FleetParts {
  membership: FleetFile
  version: string
  /** the id of this home's idempotency keys */
  home: string
  /** the id of this start of the service */
  boot: string
  /** returns the labels in the settings; called at each heartbeat */
  labels(): string[]
  maxRequests: number
  heartbeatMs: number
  /** the longest delay before a reconnect attempt */
  reconnectMs: number
  /** the loopback address of the phone's own service */
  service: { host: string; port: number }
  /** the token that the service accepts for this caller and class */
  tokenFor(callClass: CallClass, caller: string): string
  /** the service's load and pending approvals */
  executor: {
    approvals: {
      subscribe(listener: (event: ApprovalRequested | ApprovalDecided) => void): () => void
      pending(): readonly unknown[]
    }
    stats(): Record<'pool' | 'background', { running: number; queued: number }>
  }
  /** takes facts as fields, then the message; neither may contain a command, a token or output */
  log: { info(facts: object, sentence: string): void; warn(facts: object, sentence: string): void }
}

/** Counters over all connections. */
export type Counts = Pick<LinkStatus, 'open' | 'requests' | 'refused' | 'parts' | 'reconnects'>
