import { awakeClock, type Timer } from '../../shared/async/index.ts'
import type { Client } from './connect-service.ts'
import { countText } from './count-text.ts'
import { endBySignal } from './end-by-signal.ts'

/** Handles Ctrl-C during `fleet exec`. */
interface FleetInterrupts {
  /** whether Ctrl-C was pressed */
  readonly isPressed: boolean
  /** Reports that a phone has accepted the command. After Ctrl-C, cancels it there at once. */
  onAccepted(phone: string, runId: string): void
  /** Reports that the result of a phone is known. */
  onResult(phone: string): void
  stop(): void
}

/** After Ctrl-C, the phones have this time to confirm that the command has ended. */
const CONFIRM_MS = 10_000

/**
 * The first Ctrl-C cancels the command on every phone that has accepted it; the results then say how it ended there. The second one, or phones that
 * do not confirm in time, call `leave` with the phones on which the command may continue.
 */
export function onFleetInterrupts({ request }: Client, leave: (phones: string[]) => void): FleetInterrupts {
  const runs = new Map<string, string>()
  let isPressed = false
  let timer: Timer | undefined
  const end = () => {
    leave([...runs.keys()])
    endBySignal('SIGINT')
    process.exit()
  }
  /** Never rejects: without a result in time, `end` names the phone. */
  const cancel = (phone: string, runId: string): Promise<unknown> =>
    request('DELETE', `/phones/${encodeURIComponent(phone)}/runs/${runId}`).catch(() => {})
  const press = () => {
    if (isPressed) return end()
    isPressed = true
    const where = runs.size === 0 ? '' : ` on ${countText(runs.size, 'phone')}`
    console.error(`shellphone: canceling the command${where}; Ctrl-C again exits without waiting`)
    timer = awakeClock.startTimer(end, CONFIRM_MS)
    for (const [phone, runId] of runs) void cancel(phone, runId)
  }
  process.on('SIGINT', press)
  return {
    get isPressed() {
      return isPressed
    },
    onAccepted(phone, runId) {
      runs.set(phone, runId)
      if (isPressed) void cancel(phone, runId)
    },
    onResult: (phone) => void runs.delete(phone),
    stop() {
      timer?.stop()
      process.off('SIGINT', press)
    },
  }
}
