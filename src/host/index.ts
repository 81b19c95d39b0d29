/**
 * host: the machine that the service lives on, as it finds it at its start: its private folder (home.ts) and the lock on it (lock.ts),
 * what Android and Termux are like (machine.ts), its addresses, and the call that Android refuses (network-interfaces.ts).
 * What the owner should know of a machine is one more line of `warnings` in machine.ts.
 */
export { type Home, openHome } from './home.ts'
export type { StatOf } from './lock.ts'
export { checkPlaces, homeFolder, isLoopback, preloadLibrary, termuxPrefix, warnings } from './machine.ts'
export { ownAddresses, tolerateHiddenInterfaces, urlOf } from './network-interfaces.ts'
