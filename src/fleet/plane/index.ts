/**
 * plane: the control plane of a fleet. It serves HTTP to agents and people and sends requests to phones over NATS. fleet-keys.ts creates keys
 * and defines rights (one row of `templates` for each role). config-file.ts writes the broker's configuration. phone-requests.ts sends one
 * request to one phone. execution.ts runs one command until its record is known. jobs.ts, dispatch.ts and deliver.ts handle jobs, which also
 * reach phones that were offline. To add a route, write its file and list it in open-plane.ts.
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
