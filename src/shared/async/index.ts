/**
 * async: promises, what changes, clocks and deadlines, as every folder here uses them. It imports nothing of ours.
 */
export { Changing, createPromise } from './promises.ts'
export { awakeClock, type Clock, Deadline, elapsedClock, sleptMs, type Timer, within } from './clocks.ts'
