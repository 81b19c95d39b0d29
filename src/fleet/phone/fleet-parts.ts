import type { CallClass, FleetFile, LinkStatus } from '../../shared/schema/index.ts'

type ApprovalRequested = { type: 'approval_requested'; approval: { id: string; run_id: string } }
type ApprovalDecided = { type: 'approval_decided' }

/** What the fleet is given. */
export interface FleetParts {
  place: FleetFile
  version: string
  /** of this home's keys */
  home: string
  /** of this start */
  boot: string
  /** as settings write them: read at each beat */
  labels(): string[]
  maxRequests: number
  beatMs: number
  /** the longest wait before it connects again */
  reconnectMs: number
  /** its own service, over loopback */
  service: { host: string; port: number }
  /** what the door shows there */
  passOf(callClass: CallClass, caller: string): string
  /** of the service: what waits for a person, and how much runs */
  executor: {
    approvals: {
      subscribe(hear: (event: ApprovalRequested | ApprovalDecided) => void): () => void
      pending(): readonly unknown[]
    }
    stats(): Record<'pool' | 'background', { running: number; queued: number }>
  }
  /** facts as fields, the sentence last; never a command, a token or output */
  log: { info(facts: object, sentence: string): void; warn(facts: object, sentence: string): void }
}

/** Counted over all connections. */
export type Counts = Pick<LinkStatus, 'open' | 'requests' | 'refused' | 'parts' | 'reconnects'>
