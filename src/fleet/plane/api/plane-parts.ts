import type { PhoneRequests } from '../calls/phone-requests.ts'
import type { Clock } from '../broker/clock.ts'
import type { Dispatch } from '../jobs/dispatch.ts'
import type { Gate } from './gate.ts'
import type { IndexOfJobs } from '../jobs/index-of-jobs.ts'
import type { Invites } from '../keys/invite.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { BrokerLink } from '../broker/broker-link.ts'
import type { Log } from '../plane-types.ts'
import type { Phones } from '../broker/phones.ts'
import type { Presences } from '../broker/presence.ts'
import type { FleetRegistry } from '../broker/registry.ts'
import type { Roles } from '../keys/roles.ts'

/** The parts of a control plane that its routes use. */
export interface PlaneParts {
  version: string
  gate: Gate
  link: BrokerLink
  phoneRequests: PhoneRequests
  clock: Clock
  registry: FleetRegistry
  phones: Phones
  presences: Presences
  roles: Roles
  invites: Invites
  index: IndexOfJobs
  jobs: Jobs
  dispatch: Dispatch
  log: Log
}
