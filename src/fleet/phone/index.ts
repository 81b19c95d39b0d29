/**
 * phone: the phone's side of a fleet. It keeps a connection to the broker (fleet-link.ts), accepts calls (call-listener.ts, check-call.ts),
 * sends them to its own service over loopback HTTP and returns the response in numbered parts (relay.ts, part-writer.ts), publishes its presence (start-presence.ts)
 * and its description (micro.ts). enrol.ts joins and leaves. Loaded only if there is a fleet.json. Which class of call may use a route is a
 * row of shared/schema/fleet-routes.ts.
 */
export { join, leave } from './enrol.ts'
export { homeId } from './home-id.ts'
export { type Fleet, openFleet } from './fleet-link.ts'
export type { FleetParts } from './fleet-parts.ts'
