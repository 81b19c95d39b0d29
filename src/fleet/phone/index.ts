/**
 * phone: the phone's side of a fleet. It dials out to the broker for ever (fleet-link.ts), takes the calls that are meant for it (call-listener.ts, check-call.ts),
 * asks its own service over loopback HTTP and sends the answer back in numbered parts (relay.ts, part-writer.ts), says that it is there (start-presence.ts)
 * and what it is (micro.ts); enrol.ts joins and leaves. Loaded only where there is a fleet.json. Which class of call may ask for a route is a
 * row of shared/schema/fleet-routes.ts.
 */
export { join, leave } from './enrol.ts'
export { homeId } from './home-id.ts'
export { type Fleet, openFleet } from './fleet-link.ts'
export type { FleetParts } from './fleet-parts.ts'
