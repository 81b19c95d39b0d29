/**
 * host: the machine on which the service runs: the private directory (home.ts), its format (home-format.ts) and its lock (lock.ts), Android and Termux (machine.ts),
 * network addresses (addresses.ts, network-interfaces.ts) and the call that Android forbids (hidden-interfaces.ts), inherited descriptors
 * (descriptors.ts), changes to files (watch-files.ts), the state of the phone for its owner (phone-status.ts), the load of the service
 * (load-meter.ts), and returning memory to the system (collector.ts).
 * To add a warning for the owner, add a line to `warnings` in machine.ts.
 */
export { findAddresses } from './addresses.ts'
export {
  ADDRESS_FILE,
  type Home,
  homeHolder,
  keepMode,
  privateFile,
  MIN_TOKEN_CHARACTERS,
  openHome,
  replaceFile,
} from './home.ts'
export { closeInherited } from './descriptors.ts'
export { createLoadMeter } from './load-meter.ts'
export { checkCommandPaths, homeFolder, ownersShell, preloadLibrary, termuxPrefix, warnings } from './machine.ts'
export { tolerateHiddenInterfaces } from './hidden-interfaces.ts'
export { ownAddresses, urlOf } from './network-interfaces.ts'
export { makeDirectory } from './make-directory.ts'
export { createPhoneStatus } from './phone-status.ts'
export { watchFiles } from './watch-files.ts'
