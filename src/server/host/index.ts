/**
 * host: the machine that the service lives on, as it finds it at its start: its private folder (home.ts) and the lock on it (lock.ts),
 * what Android and Termux are like (machine.ts), its addresses (addresses.ts) and the call for them that Android refuses
 * (hidden-interfaces.ts, network-interfaces.ts), what its starter left open (descriptors.ts), changes of files (watch-files.ts),
 * what its owner wants to see of it (phone-status.ts), how busy the service was (load-meter.ts), and memory that goes back before V8 would
 * give it (collector.ts).
 * What the owner should know of a machine is one more line of `warnings` in machine.ts.
 */
export { findAddresses } from './addresses.ts'
export { ADDRESS_FILE, type Home, keepMode, keptFile, MIN_TOKEN_CHARACTERS, openHome, replaceFile } from './home.ts'
export { closeInherited } from './descriptors.ts'
export { createLoadMeter } from './load-meter.ts'
export { checkPlaces, homeFolder, ownersShell, preloadLibrary, termuxPrefix, warnings } from './machine.ts'
export { tolerateHiddenInterfaces } from './hidden-interfaces.ts'
export { ownAddresses, urlOf } from './network-interfaces.ts'
export { createPhoneStatus } from './phone-status.ts'
export { watchFiles } from './watch-files.ts'
