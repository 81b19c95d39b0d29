/**
 * plane: the control plane of a fleet. Keys and rights are in keys.ts (what a role may is a row of `templates`), the broker's
 * configuration in config-file.ts.
 */
export { type BrokerConfig, brokerConfig } from './config-file.ts'
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
  templates,
} from './keys.ts'
