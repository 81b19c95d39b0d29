/**
 * doctor: checks for every known problem with Android, Termux and settings that the service can observe or infer. It accesses the machine
 * through functions (world.ts), so that tests can replace it. To add a check, add a row to the list in android-checks.ts, boot-checks.ts,
 * service-checks.ts, machine-checks.ts or exposure-checks.ts.
 */
export { readOrNull } from './boot-checks.ts'
export { createDoctor } from './examine.ts'
export { describeReport, exitCodeOf } from './describe-report.ts'
export { usualLimits, type DoctorWorld } from './world.ts'
