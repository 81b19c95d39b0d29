/**
 * plane: the control plane of a fleet: HTTP for agents and people, questions over NATS to phones. Keys and rights are in fleet-keys.ts (what a
 * role may is a row of `templates`), the broker's configuration in config-file.ts, one request to one phone in phone-requests.ts, a command followed to
 * its record in execution.ts, jobs for phones that are away in jobs.ts, dispatch.ts and deliver.ts. To add a route, write its file and name it in
 * open-plane.ts.
 */
export { type BrokerConfig, brokerConfig } from './keys/config-file.ts'
export {
  type FleetKeys,
  type FleetTokens,
  type Identity,
  makeIdentity,
  makeKeys,
  makeTokens,
  publicKeyOf,
  revoke,
  type Role,
  signUser,
  systemUser,
} from './keys/fleet-keys.ts'
export { openPlane, type PlaneOptions } from './open-plane.ts'
export { PLANE_FILE, PlaneFile, readPlaneFile } from './plane-file.ts'
export { brokerVersion, versionIn } from './broker/broker-version.ts'
export { newFleet, type Offline, OFFLINE_FILE } from './keys/init.ts'
export { revokeKey } from './keys/revoke.ts'
export { inspectFleet } from './broker/inspect.ts'
