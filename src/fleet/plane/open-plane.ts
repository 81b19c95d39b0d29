import Fastify, { type FastifyBaseLogger } from 'fastify'
import { acceptUpgrades, type App, appOptions } from '../../http/index.ts'
import {
  boundedJson,
  firstError,
  FLEET_MAX_BODY_BYTES,
  FLEET_MAX_MESSAGE_BYTES,
  UpMessage,
} from '../../shared/schema/index.ts'
import { adminRoutes } from './api/admin-routes.ts'
import { approvalRoutes } from './api/plane-approval-routes.ts'
import { createPhoneRequests } from './calls/phone-requests.ts'
import { openClock } from './broker/clock.ts'
import { createDispatch } from './jobs/dispatch.ts'
import { execRoutes } from './api/plane-exec-route.ts'
import { createGate } from './api/gate.ts'
import { healthRoutes } from './api/health-routes.ts'
import { speakHttp } from './api/speak-http.ts'
import { openIndex } from './jobs/index-of-jobs.ts'
import { createInvites } from './keys/invite.ts'
import { jobRoutes } from './api/job-routes.ts'
import { createJobs } from './jobs/jobs.ts'
import { openLink } from './broker/broker-link.ts'
import { socketRoute } from './api/socket-route.ts'
import { phoneRoutes } from './api/phone-routes.ts'
import { createPhones } from './broker/phones.ts'
import type { PlaneFile } from './plane-file.ts'
import type { PlaneParts } from './api/plane-parts.ts'
import { openPresences } from './broker/presence.ts'
import { openRegistry } from './broker/registry.ts'
import { createRoles } from './keys/roles.ts'
import { openStreams } from './broker/job-streams.ts'
import { createWebhook } from './api/webhook.ts'

/** What a plane is made of. */
export interface PlaneOptions {
  plane: PlaneFile
  version: string
  /** unsettled commands of jobs, of all phones together; a job beyond them is refused */
  maxPairs: number
  /** host names that it may be called by, beside its own, IP literals and localhost */
  allowedHosts: string[]
  /** wrong tokens of one address, before it is told to wait */
  maxFailedLoginsPerMinute: number
  /** hears of questions */
  webhook: string | null
  logger: FastifyBaseLogger
  /** adds what a browser shows; absent: nothing */
  page?(app: App): Promise<void>
  /** milliseconds of a clock that is never stepped; default: this machine's */
  monotonicMs?(): number
}

const routes = [socketRoute, execRoutes, phoneRoutes, jobRoutes, approvalRoutes, adminRoutes, healthRoutes]
/** A long file takes its time; a stranger is refused before his body is read. */
const REQUEST_TIMEOUT_MS = 3_600_000

/** Opens streams and buckets and begins to dispatch; the app is complete, and does not listen yet. It has no state of its own: there may be any number of them. */
export async function openPlane(options: PlaneOptions): Promise<App> {
  const { logger } = options
  const parts = await openParts(options)
  const app: App = Fastify({
    ...appOptions(logger),
    childLoggerFactory: (log) => log,
    bodyLimit: FLEET_MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: true,
  })
  await acceptUpgrades(app, FLEET_MAX_MESSAGE_BYTES)
  speakHttp(app, parts.roles, parts.gate)
  for (const route of routes) await route(app, parts)
  await options.page?.(app)
  app.addHook('onClose', () => closeParts(parts))
  receiveUpMessages(parts, createWebhook(options.webhook, parts.log))
  return app
}

async function openParts(options: PlaneOptions): Promise<PlaneParts> {
  const { plane, version, maxPairs, logger, monotonicMs = () => performance.now() } = options
  const log: PlaneParts['log'] = (facts, sentence) => logger.warn(facts, sentence)
  const link = await openLink(plane, log)
  const registry = await openRegistry(link, log)
  const clock = await openClock(link, registry.kv, monotonicMs, log)
  const presences = await openPresences(link, clock, log)
  const phones = createPhones(registry, presences, clock, log)
  const asking = createPhoneRequests(link, plane.signer)
  await openStreams(link)
  const index = await openIndex(link, log)
  const jobs = createJobs(link, index, clock, maxPairs)
  const dispatch = createDispatch({ link, asking, index, phones, clock, log })
  const roles = createRoles(registry, plane.token, clock.brokerNow)
  const invites = createInvites(registry, plane, clock.brokerNow)
  const gate = createGate({ url: plane.url, ...options })
  return { version, gate, link, asking, clock, registry, phones, presences, roles, invites, index, jobs, dispatch, log }
}

/** Words of phones: every plane asks anew what a new connection has lost, and one of them does what there is to do. */
function receiveUpMessages({ link, asking, dispatch }: PlaneParts, webhook: ReturnType<typeof createWebhook>): void {
  const hear =
    (take: (name: string, word: UpMessage) => void) =>
    (_error: unknown, message: { subject: string; data: Uint8Array }) => {
      const word = upMessageIn(message.data)
      if (word !== null) take(message.subject.slice('sp.up.'.length), word)
    }
  const onEvery = hear((name, word) => word.type === 'hello' && asking.heard(name))
  const onOne = hear((phone, word) => {
    if (word.type === 'hello') dispatch.kick(phone)
    if (word.type === 'asked') webhook({ phone, approval_id: word.approval_id, run_id: word.run_id })
  })
  link.nc.subscribe('sp.up.*', { callback: onEvery })
  link.nc.subscribe('sp.up.*', { queue: 'dispatch', callback: onOne })
}

function upMessageIn(data: Uint8Array): UpMessage | null {
  try {
    const word = boundedJson(data, 'message')
    return firstError(UpMessage, word) === null ? (word as UpMessage) : null
  } catch {
    return null
  }
}

async function closeParts({
  dispatch,
  index,
  phones,
  presences,
  registry,
  clock,
  asking,
  link,
}: PlaneParts): Promise<void> {
  await dispatch.close()
  for (const part of [index, phones, presences, registry, clock, asking]) part.close()
  await link.close()
}
