/**
 * host: the machine that the service runs on: its private directory (home.ts) and the lock on it (lock.ts), Android and Termux
 * (machine.ts), its addresses (addresses.ts, network-interfaces.ts) and the call that Android refuses (hidden-interfaces.ts), inherited
 * descriptors (descriptors.ts), changes of files (watch-files.ts), the state of the phone for its owner (phone-status.ts), the load of the
 * service (load-meter.ts), and returning memory to the system (collector.ts).
 * To warn the owner about one more thing, add a line to `warnings` in machine.ts.
 */
export { findAddresses } from './addresses.ts'
export { ADDRESS_FILE, type Home, keepMode, privateFile, MIN_TOKEN_CHARACTERS, openHome, replaceFile } from './home.ts'
export { closeInherited } from './descriptors.ts'
export { createLoadMeter } from './load-meter.ts'
export { checkCommandPaths, homeFolder, ownersShell, preloadLibrary, termuxPrefix, warnings } from './machine.ts'
export { tolerateHiddenInterfaces } from './hidden-interfaces.ts'
export { ownAddresses, urlOf } from './network-interfaces.ts'
export { createPhoneStatus } from './phone-status.ts'
export { watchFiles } from './watch-files.ts'
