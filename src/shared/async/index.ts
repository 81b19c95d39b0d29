/**
 * async: promises, change notification, clocks and deadlines. It imports nothing else of this project.
 */
export { ChangeNotifier, createPromise } from './promises.ts'
export { awakeClock, type Clock, Deadline, elapsedClock, sleptMs, type Timer, within } from './clocks.ts'
