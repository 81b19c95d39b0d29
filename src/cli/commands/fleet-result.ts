import { visible } from '../../shared/schema/index.ts'

/** The result of a command on one phone, as a control plane reports it. */
export interface FleetResult {
  name: string
  state: string
  /** how the command ended */
  status?: string
  run_id?: string
  exit_code?: number
  duration_ms?: number
  output?: string
  reason?: string
}

/** The indented lines below a result: the command's output, or the reason why it has no output. */
export function outputLines({ state, status = state, output, reason }: FleetResult): string[] {
  const text = status === 'denied' ? reason : (output ?? reason)
  const lines = (text ?? '').trimEnd().split('\n').filter(Boolean)
  return lines.map((line) => `  ${visible(line)}`)
}
