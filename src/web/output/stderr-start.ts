import { type RunFollower, TAIL_BYTES } from './run-follower.ts'

/** Whether the page has loaded stderr from its start. A longer stderr counts as cut: the page may have opened when it was that long. */
export const hasStartOfStderr = ({ record, missing }: RunFollower): boolean =>
  missing.value === 0 && (record.value?.stderr_bytes ?? 0) <= TAIL_BYTES
