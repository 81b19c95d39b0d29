import { visible } from '../../shared/schema/index.ts'
import type { Client } from './connect-service.ts'
import type { FleetApproval } from './short-ids.ts'

/** How often the control plane is asked which phones wait for approval. */
const EVERY_MS = 2000

/** The phones on which a command waits for approval. */
interface FleetWaits {
  /** Whether the command waited there at the last check. */
  isWaiting(phone: string): boolean
  /** Whether the token can read approval requests, according to the last check. */
  canRead(): boolean
  /** Checks now. Never rejects. */
  check(): Promise<void>
  stop(): void
}

/** Prints on stderr how to answer the approval request of a phone. `fleet`: the option that names the fleet. */
export function reportWait(phone: string, id: string, fleet: string): void {
  const answer = `shellphone fleet approvals approve ${phone} ${id}${fleet}`
  console.error(`shellphone: ${visible(`${phone}: waiting for approval; answer on the phone, or with ${answer}`)}`)
}

/** The pending approval requests of all phones; null for a token that may not read them, or without a response. */
export async function pendingOnPhones({ request }: Client): Promise<FleetApproval[] | null> {
  const none = { approvals: null }
  return (await request<{ approvals: FleetApproval[] }>('GET', '/approvals').catch(() => none)).approvals
}

/**
 * Prints on stderr, once for each request, on which phone `command` waits for approval and how to answer. Requests that exist before are of other
 * commands. A token that may not answer approval requests gets none.
 */
export async function reportFleetWaits(client: Client, command: string, fleet: string): Promise<FleetWaits> {
  let canRead = false
  const listed = async () => {
    const pending = await pendingOnPhones(client)
    canRead = pending !== null
    return (pending ?? []).filter((one) => one.command === command)
  }
  const earlier = new Set((await listed()).map(({ id }) => id))
  const shown = new Set<string>()
  let now: FleetApproval[] = []
  let checking: Promise<void> | null = null
  async function check(): Promise<void> {
    now = (await listed()).filter(({ id }) => !earlier.has(id))
    for (const { phone, id } of now.filter((one) => !shown.has(one.id))) {
      shown.add(id)
      reportWait(phone, id, fleet)
    }
    checking = null
  }
  const checkOnce = () => (checking ??= check())
  const timer = setInterval(() => void checkOnce(), EVERY_MS)
  return {
    isWaiting: (phone) => now.some((one) => one.phone === phone),
    canRead: () => canRead,
    check: checkOnce,
    stop: () => clearInterval(timer),
  }
}
