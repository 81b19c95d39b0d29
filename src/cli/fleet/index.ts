/**
 * fleet: the verbs of `shellphone fleet` for administrators that work on this machine: init, serve, revoke, doctor. To add one, write its file,
 * export it here, and add its row to subcommands/plane-verbs.ts.
 */
export { doctorFleet } from './doctor-fleet.ts'
export { initFleet } from './init-fleet.ts'
export { fleetFiles, revokePhone } from './revoke-phone.ts'
export { planeDirectory, servePlane } from './serve-plane.ts'
