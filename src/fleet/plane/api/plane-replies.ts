import { type Static, Type } from '@sinclair/typebox'
import { ExecRequest, oneWordOf, PendingApproval } from '../../../shared/schema/index.ts'
import { FleetPhone } from '../broker/fleet-phone.ts'
import { count, text, time } from '../described.ts'
import { FanResult, JobResult } from '../jobs/phone-results.ts'
import { planeRoles } from '../plane-types.ts'

/** The shapes of a control plane's own replies, and the parameters in the paths of its own routes. */

export const PhoneName = Type.Object({ name: text('The name of the phone in the fleet') })
export const TokenName = Type.Object({ name: text('The name of the token') })

export const FleetPhones = Type.Object(
  {
    phones: Type.Array(FleetPhone, { description: 'The phones that the token reaches, by name' }),
  },
  { description: 'The phones that the token reaches; the selector narrows them' },
)

const counts = Type.Record(Type.String(), count('Phones in this state'), {
  description: 'The number of phones in each state',
})
export const FanReply = Type.Object({
  job: text('The id of this request; it is also the idempotency key on every phone'),
  counts,
  phones: Type.Record(Type.String(), FanResult, {
    description: 'The result of each phone, by name',
  }),
})
export const JobAccepted = Type.Object({
  job: text('The id of the job, for /jobs/ID'),
  phones: count('The number of phones that it waits for'),
})

const jobFields = {
  job: text('The id of the job'),
  by: text('The name of the token that submitted it'),
  request: Type.Unsafe<object>({
    ...ExecRequest,
    description: 'The command that each phone gets',
  }),
  submitted_at: time('When it was submitted, by the clock of the broker'),
  expires_at: time('Until when it is sent to phones'),
}
export const JobReply = Type.Object(
  {
    ...jobFields,
    counts,
    phones: Type.Record(Type.String(), JobResult, {
      description: 'The state on each phone, by name',
    }),
  },
  {
    $id: 'Job',
    description: 'A job: one command for several phones, which waits for those that are offline',
  },
)

const JobSummary = Type.Object(
  {
    ...jobFields,
    phones: Type.Integer({ description: 'The number of its phones that the token can see' }),
    unfinished: Type.Integer({ description: 'On how many of them its state is not final' }),
  },
  { $id: 'JobSummary', description: 'A job without the state of each phone' },
)
export type JobSummary = Static<typeof JobSummary>
export const JobList = Type.Object(
  {
    jobs: Type.Array(JobSummary, { description: 'At most 20 of the 200 newest jobs, newest first' }),
  },
  { description: 'The newest jobs, without the state of each phone' },
)

export const CancelReply = Type.Object(
  {
    job: text('The id of the job'),
    phones: Type.Record(Type.String(), oneWordOf(['withdrawn', 'canceling', 'settled']), {
      description:
        'By name. withdrawn: it was not sent; canceling: the phone gets a cancellation; settled: its state was final',
    }),
  },
  { description: 'What happens to the job on each phone' },
)

export const FleetApprovals = Type.Object(
  {
    approvals: Type.Array(
      Type.Composite([Type.Object({ phone: text('The name of the phone') }), PendingApproval], {
        $id: 'FleetApproval',
        description: 'An approval request; answer it with POST /phones/NAME/approvals/ID',
      }),
      { description: 'The pending approval requests of all phones that the token reaches' },
    ),
    silent: Type.Array(Type.String(), {
      description: 'Phones that sent no list within 5 s, or a list that is too long for one response',
    }),
  },
  { description: 'The pending approval requests of the fleet' },
)

export const InviteReply = Type.Object(
  {
    name: text('The name that the phone will have'),
    invite: text('The invitation: 128 random bits, for one use'),
    link: text('The link for shellphone fleet join'),
    expires_at: time('15 minutes later, by the clock of the broker'),
  },
  { description: 'The invitation, which works once' },
)
const tokenFields = {
  name: text('The name of the token'),
  role: oneWordOf(planeRoles, {
    description:
      'agent: runs commands and reads its own runs; person: also reads everything and answers approval requests; admin: also manages phones and tokens',
  }),
  select: text('The selector of the phones that it reaches; *: all'),
  created_at: time('When it was created'),
}
export const FleetTokens = Type.Object(
  {
    tokens: Type.Array(Type.Object(tokenFields, { $id: 'FleetToken', description: 'A token of the control plane' }), {
      description: 'All tokens except the one in plane.json',
    }),
  },
  { description: 'The tokens without their secrets' },
)
export const NewFleetToken = Type.Object(
  {
    ...tokenFields,
    token: text('The token, which is shown only once'),
    link: text("The fleet's URL with the token, for shellphone remote add or a browser"),
  },
  { description: 'The token with its secret' },
)
export const RevokedPhone = Type.Object(
  {
    name: text('The name of the phone'),
    public_key: text('The public key that the broker must no longer accept'),
  },
  { description: 'The phone is no longer in the fleet' },
)
export const PlaneHealth = Type.Object(
  {
    status: oneWordOf(['ok', 'no_broker'], {
      description: 'no_broker: the connection to the broker is lost',
    }),
    version: text('The version of the control plane'),
  },
  { description: 'The control plane is connected to its broker' },
)
