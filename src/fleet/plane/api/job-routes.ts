import { type Static, Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ShellphoneError } from '../../../shared/schema/index.ts'
import { callerOf } from './configure-http.ts'
import { isOver, type Job, toResult } from '../jobs/job-types.ts'
import type { JobRow } from '../jobs/phone-results.ts'
import type { PlaneParts } from './plane-parts.ts'
import { disconnectSignal, type App, errorResponses, startEvents } from '../../../http/index.ts'
import { CancelReply, JobList, JobReply, type JobSummary } from './plane-replies.ts'
import type { StoredMessage } from '../broker/job-streams.ts'

const Id = Type.Object({
  id: Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$', description: 'The id of the job' }),
})
/** The interval at which an event stream checks whether the job has expired for the remaining phones. */
const EXPIRY_CHECK_MS = 1_000

/** The maximum number of jobs in a list. */
const MAX_LISTED = 20

const tags = ['jobs']
const NO_JOB = { 404: 'this token can see no job with this id; jobs are stored for 8 days' }
const listSchema = {
  summary: 'List the newest jobs that the token can see: an agent sees only its own',
  operationId: 'listJobs',
  tags,
  response: { 200: JobList },
}
const getSchema = {
  summary: 'Get a job: its state on each phone',
  operationId: 'getJob',
  tags,
  params: Id,
  response: { 200: JobReply, ...errorResponses(NO_JOB) },
}
const followSchema = {
  summary: 'Follow a job: an event phone for each change, and result when all states are final',
  operationId: 'followJob',
  tags,
  params: Id,
  response: {
    200: {
      description: 'The events of the job, one block each',
      content: { 'text/event-stream': { schema: Type.String() } },
    },
    ...errorResponses(NO_JOB),
  },
}
const cancelSchema = {
  summary: 'Cancel a job on every phone',
  operationId: 'cancelJob',
  tags,
  params: Id,
  response: { 200: CancelReply, ...errorResponses(NO_JOB) },
}

/** The routes that list, read, follow and cancel jobs. */
export async function jobRoutes(app: App, parts: PlaneParts): Promise<void> {
  app.get('/jobs', { schema: listSchema }, async (request) => ({ jobs: await newestJobs(parts, request) }))
  app.get('/jobs/:id', { schema: getSchema }, async (request) => {
    const job = await jobOf(parts, request, request.params.id)
    return toResponse(parts, job, await parts.jobs.rows(job))
  })
  app.get('/jobs/:id/events', { schema: followSchema }, async (request, reply) => {
    return sendStates(parts, await jobOf(parts, request, request.params.id), reply)
  })
  app.delete('/jobs/:id', { schema: cancelSchema }, async (request) => {
    const job = await jobOf(parts, request, request.params.id)
    const results = await parts.jobs.withdraw(job)
    for (const [name, result] of results) if (result === 'canceling') parts.dispatch.cancel(name, job.id)
    return { job: job.id, phones: Object.fromEntries(results) }
  })
}

/** The job, limited to the phones of the caller's token. Throws NOT_FOUND if the token reaches none of them, or if another user submitted the job and the caller is an agent. */
async function jobOf({ jobs, phones }: PlaneParts, request: FastifyRequest, id: string): Promise<Job> {
  const { name, role, selector } = callerOf(request)
  const job = await jobs.find(id)
  const own = job.phones.filter((phone) => phones.isFor(phone, selector))
  if (own.length > 0 && (role !== 'agent' || job.by === name)) return { ...job, phones: own }
  throw new ShellphoneError('NOT_FOUND', `This token can see no job with the id ${id}`)
}

/** The newest jobs that the caller can see, without the state of each phone. */
async function newestJobs(parts: PlaneParts, request: FastifyRequest): Promise<JobSummary[]> {
  const { name, role } = callerOf(request)
  const listed: JobSummary[] = []
  for (const { id, by } of parts.index.newest()) {
    if (listed.length === MAX_LISTED) break
    if (role === 'agent' && by !== name) continue
    const job = await jobOf(parts, request, id).catch((error) => {
      if (error instanceof ShellphoneError && error.code === 'NOT_FOUND') return null // deleted, or of other phones
      throw error
    })
    if (job === null) continue
    const unfinished = job.phones.filter((phone) => parts.index.isOpen(phone, id)).length
    listed.push({ ...toSummary(job), phones: job.phones.length, unfinished })
  }
  return listed
}

const toSummary = ({ id, by, request, submittedMs, deadlineMs }: Job) => ({
  ...{ job: id, by, request },
  submitted_at: new Date(submittedMs).toISOString(),
  expires_at: new Date(deadlineMs).toISOString(),
})

function toResponse(
  { clock }: PlaneParts,
  job: Job,
  rows: Map<string, StoredMessage<JobRow>>,
): Static<typeof JobReply> {
  const nowMs = clock.brokerNow()
  const phones = job.phones.map((name) => [name, toResult(job, rows.get(name) ?? null, nowMs)] as const)
  const counts: Record<string, number> = {}
  for (const [, { state }] of phones) counts[state] = (counts[state] ?? 0) + 1
  return { ...toSummary(job), counts, phones: Object.fromEntries(phones) }
}

/** Sends an event for each change of a phone's state, and `result` when all states are final. */
async function sendStates(parts: PlaneParts, job: Job, reply: FastifyReply): Promise<FastifyReply> {
  const { jobs, clock } = parts
  const gone = disconnectSignal(reply)
  const over = new AbortController()
  const stream = startEvents(reply)
  const rows = new Map<string, StoredMessage<JobRow>>()
  const isDone = () => job.phones.every((name) => isOver(job, rows.get(name) ?? null, clock.brokerNow()))
  const timer = setInterval(() => isDone() && over.abort(), EXPIRY_CHECK_MS)
  try {
    for await (const [name, row] of jobs.follow(job, AbortSignal.any([gone, over.signal]))) {
      rows.set(name, row)
      stream.send('phone', { name, ...toResult(job, row, clock.brokerNow()) })
      if (isDone()) break
    }
  } finally {
    clearInterval(timer)
  }
  for (const name of job.phones) {
    if (!rows.has(name)) stream.send('phone', { name, ...toResult(job, null, clock.brokerNow()) })
  }
  stream.send('result', toResponse(parts, job, rows))
  return stream.end()
}
