/**
 * doctor: checks for every trap of Android, Termux and careless settings that can be seen or inferred from inside. It receives the machine as
 * functions (world.ts), so that each check can be tested. To add a check, add a row to its list in android-checks.ts,
 * boot-checks.ts, service-checks.ts, machine-checks.ts or exposure-checks.ts.
 */
export { readOrNull } from './boot-checks.ts'
export { createDoctor } from './examine.ts'
export { describeReport, exitCodeOf } from './describe-report.ts'
export { usualLimits, type DoctorWorld } from './world.ts'
