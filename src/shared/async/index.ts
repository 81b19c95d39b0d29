/**
 * async: promises, cancel signals, registries and timers, as every folder here uses them. It imports nothing of ours.
 */
export { CancelController, type CancelSignal, Changing, Registry, createPromise, within } from './per-run.ts'
export { type Timer, startTimer } from './timer.ts'
