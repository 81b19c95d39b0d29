import type { AddressInfo } from 'node:net'
import type { Fleet } from '../../fleet/phone/index.ts'
import { urlOf } from '../../server/host/index.ts'
import { check, FLEET_FILE, FleetFile } from '../../shared/schema/index.ts'
import type { FleetMembership, MembershipParts } from '../../server/fleet-membership.ts'
import { version } from '../../shared/package/index.ts'

/** Connects to the fleet in fleet.json. Without this file, it loads no code of the fleet. */
export function openMembership(parts: MembershipParts): FleetMembership {
  const { config, home, log } = parts
  const file = home.file(FLEET_FILE)
  let known: string | null = null
  let fleet: Fleet | null = null
  let failure: string | null = null
  let turn = Promise.resolve()

  const update = async () => {
    const at = parts.address()
    const text = at && config.settings.fleet ? file.read() : null
    failure = null
    if (text === known) return
    const place = text === null ? null : check(FleetFile, JSON.parse(text)) // an invalid file leaves the current connection open
    known = text
    await fleet?.close(0)
    fleet = null
    if (place === null) return log.info({}, 'left the fleet')
    fleet = await join(place, at!, parts)
  }
  const reload = async () => {
    try {
      await update()
    } catch (error) {
      failure = `${FLEET_FILE}: ${(error as Error).message}; run shellphone fleet leave, then join again`
      log.warn({ reason: failure }, 'the fleet membership cannot be used')
    }
  }
  return {
    reload: () => void (turn = turn.then(reload)),
    status: () => fleet?.status() ?? null,
    warnings: () => (failure === null ? [] : [failure]),
    async close(graceMs) {
      await turn
      await fleet?.close(graceMs)
    },
  }
}

async function join(place: FleetFile, at: AddressInfo, parts: MembershipParts): Promise<Fleet> {
  const { config, home, executor, instance, passes, log } = parts
  const { settings } = config
  const { homeId, openFleet } = await import('../../fleet/phone/index.ts')
  const { hostname } = new URL(urlOf(at.address, at.port))
  return openFleet({
    membership: place,
    version,
    // without history, idempotency keys are lost when the service stops, so each start counts as another home
    home: settings.history ? homeId(home.directory) : instance,
    boot: instance,
    labels: () => settings.fleet_labels,
    maxRequests: settings.fleet_max_requests,
    heartbeatMs: settings.fleet_beat_seconds * 1000,
    reconnectMs: settings.fleet_reconnect_seconds * 1000,
    service: { host: hostname.replace(/^\[|\]$/g, ''), port: at.port },
    tokenFor: passes.of,
    executor,
    log,
  })
}
