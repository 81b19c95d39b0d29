import { visible } from '../../shared/schema/index.ts'

/** The result of a command on one phone, as a control plane reports it. */
export interface FleetResult {
  name: string
  state: string
  /** how the command ended */
  status?: string
  run_id?: string
  exit_code?: number
  /** the signal that killed it */
  signal?: string
  duration_ms?: number
  output?: string
  /** whether `output` is only a part */
  truncated?: boolean
  reason?: string
}

/** Whether the phone ran the command, and it returned 0. */
export const hasSucceeded = ({ state, exit_code }: FleetResult): boolean => state === 'ended' && exit_code === 0

/** The indented lines below a result: the command's output and where to read all of it, or the reason why it has no output. `on`: the option that names the fleet. */
export function outputLines(result: FleetResult, on: string): string[] {
  const { name, state, status = state, run_id, output, truncated = false, reason } = result
  const text = status === 'denied' ? reason : (output ?? reason)
  const lines = (text ?? '').trimEnd().split('\n').filter(Boolean)
  const whole = `all of it: shellphone logs ${run_id}${on === '' ? `, on ${name}` : `${on}/${name}`}`
  return [...lines, ...(truncated ? [whole] : [])].map((line) => `  ${visible(line)}`)
}
