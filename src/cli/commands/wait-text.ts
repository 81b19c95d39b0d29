import type { RunRecord } from '../../sdk/index.ts'

/** What to print while a run waits for a person. `isRemote`: on a paired phone; `command`: what waits, if the user did not type it. */
export function waitText(
  { id, expires_at }: { id: string; expires_at: string },
  { isRemote, command }: { isRemote: boolean; command?: string },
): string {
  const seconds = Math.max(0, Math.round((Date.parse(expires_at) - Date.now()) / 1000))
  const what = command === undefined ? '' : ` of ${command}`
  const where = isRemote ? 'phone' : 'page'
  const there = isRemote ? ' there' : ''
  return `waiting for approval${what}, ${seconds} s left; answer on the ${where}, or with shellphone approvals approve ${id}${there}`
}

/** What to print about a run that waits for its session. undefined: it does not. */
export function sessionWait({ status, notes }: RunRecord): string | undefined {
  const found = status === 'queued' ? notes.find(({ code }) => code === 'WAITS_FOR_SESSION') : undefined
  return found && `this command ${found.text}`
}

/** What to print about a run that has not started: what it waits for. undefined: it does not wait. */
export function waitOf(record: RunRecord, client: { isRemote: boolean }): string | undefined {
  const { status, pending_approval } = record
  if (pending_approval) return waitText(pending_approval, client)
  const session = sessionWait(record)
  if (session !== undefined) return session
  return status === 'queued' ? 'waiting for a slot; list live runs with shellphone ps' : undefined
}

/** What to print about a denied run: who denied it, or that nobody answered, and the reason of the policy. */
export function denialText({ decision, approval }: RunRecord): string {
  const reason = decision.reason ?? decision.rule ?? 'no reason given'
  if (approval?.outcome === 'denied')
    return `denied by ${approval.by ?? 'a person'}; approval was needed because: ${reason}`
  if (approval?.outcome === 'timeout') return `denied: nobody answered in time; approval was needed because: ${reason}`
  return `denied: ${reason}`
}
