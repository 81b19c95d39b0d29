import type { Asking } from './ask.ts'
import type { Clock } from './clock.ts'
import type { Dispatch } from './dispatch.ts'
import type { Gate } from './gate.ts'
import type { IndexOfJobs } from './index-of-jobs.ts'
import type { Invites } from './invite.ts'
import type { Jobs } from './jobs.ts'
import type { Link } from './link.ts'
import type { Log } from './parts.ts'
import type { Phones } from './phones.ts'
import type { Presences } from './presence.ts'
import type { Registry } from './registry.ts'
import type { Roles } from './roles.ts'

/** What the routes of a plane are given. */
export interface PlaneParts {
  version: string
  gate: Gate
  link: Link
  asking: Asking
  clock: Clock
  registry: Registry
  phones: Phones
  presences: Presences
  roles: Roles
  invites: Invites
  index: IndexOfJobs
  jobs: Jobs
  dispatch: Dispatch
  log: Log
}
