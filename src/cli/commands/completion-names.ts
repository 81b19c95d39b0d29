import type { RunSummary, SessionInfo } from '../../sdk/index.ts'
import { type PendingApproval, type SavedRule, SettingError, type Token, visible } from '../../shared/schema/index.ts'
import { type Client, ClientError, connect, type ServiceLocation } from './connect-service.ts'

/** The number of names to print; completion shows them on one screen. */
const MAX_NAMES = 20
/** The number of characters of a command that completion shows beside its id. */
const MAX_CHARACTERS = 60

type Named = [name: string, meaning: string]

/** How to read the names of each kind, newest first. */
const readers = {
  'live-runs': async (client: Client): Promise<Named[]> => {
    const { runs } = await client.request<{ runs: RunSummary[] }>('GET', `/runs?status=live&limit=${MAX_NAMES}`)
    return runs.map(({ id, command }) => [id, command])
  },
  sessions: async (client: Client): Promise<Named[]> => {
    const { sessions } = await client.request<{ sessions: SessionInfo[] }>('GET', '/sessions')
    const newestFirst = sessions.toSorted((one, other) => other.used_at.localeCompare(one.used_at))
    return newestFirst.map(({ name, cwd }) => [name, cwd ?? ''])
  },
  tokens: async (client: Client): Promise<Named[]> => {
    const { tokens } = await client.request<{ tokens: Token[] }>('GET', '/tokens')
    return tokens.map(({ name, approves }) => [name, `approves ${approves}`])
  },
  approvals: async (client: Client): Promise<Named[]> => {
    const { approvals } = await client.request<{ approvals: PendingApproval[] }>('GET', '/approvals')
    return approvals.map(({ id, command }): Named => [id, command]).reverse()
  },
  rules: async (client: Client): Promise<Named[]> => {
    const { rules } = await client.request<{ rules: SavedRule[] }>('GET', '/approvals')
    return rules.map(({ id, command }): Named => [id, command]).reverse()
  },
}

/** `shellphone completion words KIND`: prints names for a completion script, `NAME<tab>MEANING`. Prints nothing if the service does not respond. */
export async function completionNames(
  locate: () => Promise<ServiceLocation>,
  kind: keyof typeof readers,
): Promise<void> {
  try {
    const names = await readers[kind](connect(await locate()))
    for (const [name, meaning] of names.slice(0, MAX_NAMES)) {
      const text = [...visible(meaning.replaceAll(/\s+/g, ' '))].slice(0, MAX_CHARACTERS).join('')
      console.log(`${name}\t${text}`)
    }
  } catch (error) {
    if (!(error instanceof ClientError || error instanceof SettingError)) throw error
  }
}
