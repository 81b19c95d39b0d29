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
import { configureHttp } from './api/configure-http.ts'
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

export interface PlaneOptions {
  plane: PlaneFile
  version: string
  /** the maximum number of unsettled (phone, job) pairs; a job that would exceed it is rejected */
  maxPairs: number
  /** host names that requests may use in addition to the plane's own, IP literals and localhost */
  allowedHosts: string[]
  /** the number of wrong tokens that one address may send per minute; above it, wrong tokens get 429 */
  maxFailedLoginsPerMinute: number
  /** the URL to notify of approval requests, or null */
  webhook: string | null
  logger: FastifyBaseLogger
  /** adds the routes of the page (default: no page) */
  page?(app: App): Promise<void>
  /** milliseconds of a monotonic clock (default: this machine's) */
  monotonicMs?(): number
}

/** The control plane's own routes, and those that it passes on. */
export const planeRoutes = [socketRoute, execRoutes, phoneRoutes, jobRoutes, approvalRoutes, adminRoutes, healthRoutes]
/** Long enough for uploads. Requests without a valid token are rejected before their body is read. */
const REQUEST_TIMEOUT_MS = 3_600_000

/**
 * Opens the streams and buckets and starts to dispatch jobs. The returned app is complete but does not listen yet. A control plane has no state
 * of its own, so any number of planes may run at once.
 */
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
  configureHttp(app, parts.roles, parts.gate)
  for (const route of planeRoutes) await route(app, parts)
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
  const phoneRequests = createPhoneRequests(link, plane.signer, presences.markGone)
  await openStreams(link)
  const index = await openIndex(link, log)
  const jobs = createJobs(link, index, clock, maxPairs)
  const dispatch = createDispatch({ link, phoneRequests, index, phones, clock, log })
  const roles = createRoles(registry, plane, clock.brokerNow)
  const invites = createInvites(registry, plane, clock.brokerNow)
  const gate = createGate({ url: plane.url, ...options })
  return {
    version,
    gate,
    link,
    phoneRequests,
    clock,
    registry,
    phones,
    presences,
    roles,
    invites,
    index,
    jobs,
    dispatch,
    log,
  }
}

/**
 * Handles the messages that phones publish. After a phone's hello, every plane repeats the requests that the phone's old connection lost. Only
 * one plane, which the queue group selects, delivers the jobs and calls the webhook.
 */
function receiveUpMessages(
  { link, phoneRequests, dispatch }: PlaneParts,
  webhook: ReturnType<typeof createWebhook>,
): void {
  const callbackFor =
    (handle: (name: string, message: UpMessage) => void) =>
    (_error: unknown, { subject, data }: { subject: string; data: Uint8Array }) => {
      const message = upMessageIn(data)
      if (message !== null) handle(subject.slice('sp.up.'.length), message)
    }
  const onEveryPlane = callbackFor((name, { type }) => type === 'hello' && phoneRequests.phoneReconnected(name))
  const onOnePlane = callbackFor((phone, message) => {
    if (message.type === 'hello') dispatch.kick(phone)
    if (message.type === 'asked') webhook({ phone, approval_id: message.approval_id, run_id: message.run_id })
  })
  link.nc.subscribe('sp.up.*', { callback: onEveryPlane })
  link.nc.subscribe('sp.up.*', { queue: 'dispatch', callback: onOnePlane })
}

function upMessageIn(data: Uint8Array): UpMessage | null {
  try {
    const message = boundedJson(data, 'message')
    return firstError(UpMessage, message) === null ? (message as UpMessage) : null
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
  phoneRequests,
  link,
}: PlaneParts): Promise<void> {
  await dispatch.close()
  for (const part of [index, phones, presences, registry, clock, phoneRequests]) part.close()
  await link.close()
}
