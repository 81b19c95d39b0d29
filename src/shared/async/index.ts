/**
 * async: promises, cancel signals, registries, clocks and deadlines, as every folder here uses them. It imports nothing of ours.
 */
export { Changing, Registry, createPromise } from './per-run.ts'
export { awakeClock, type Clock, Deadline, elapsedClock, sleptMs, type Timer, within } from './clocks.ts'
