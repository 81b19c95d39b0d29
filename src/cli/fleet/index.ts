/**
 * fleet: the subcommands of whoever runs a fleet: init, serve, revoke, doctor. To add one, write its file, name it here, add its row in
 * subcommands/plane-verbs.ts.
 */
export { doctorFleet } from './doctor-fleet.ts'
export { initFleet } from './init-fleet.ts'
export { mustHaveKeys, revokePhone } from './revoke-phone.ts'
export { planeDirectory, servePlane } from './serve-plane.ts'
