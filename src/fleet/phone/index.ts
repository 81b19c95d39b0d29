/**
 * phone: the phone's side of a fleet. It keeps a connection to the broker (fleet-link.ts) and accepts calls (call-listener.ts, check-call.ts). It
 * sends them to its own service over loopback HTTP and returns the response in numbered parts (relay.ts, part-writer.ts). It publishes its presence
 * (start-presence.ts) and its description (micro.ts). enrol.ts joins and leaves a fleet. The service loads this module only if fleet.json exists.
 * The rows of shared/schema/fleet-routes.ts define the class of call that may use each route.
 */
export { join, leave } from './enrol.ts'
export { homeId } from './home-id.ts'
export { type Fleet, openFleet } from './fleet-link.ts'
export type { FleetParts } from './fleet-parts.ts'
