import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { PhoneError } from '../../sdk/index.ts'
import {
  type Client,
  ClientError,
  connect,
  refuseInsideRun,
  type ServiceLocation,
  toClientError,
} from './connect-service.ts'

/** Programs that open a URL in a browser, in the order in which to try them. */
const openers = ['termux-open-url', 'xdg-open', 'open']

const OPENED = 'shellphone: opened in a browser; to print its link instead, run shellphone open --print'

/** `shellphone open`: opens the page in this machine's browser, paired with the owner's rights. Rejects with ClientError. */
export async function open(place: ServiceLocation, options: ReadonlyMap<string, string>): Promise<void> {
  refuseInsideRun(place, 'open: only a person may pair a browser')
  const client = connect(place)
  const code = await pairingCode(client)
  const link = `${client.url}/#pair=${code}`
  if (!options.has('print') && (await opened(link))) return console.error(OPENED)
  console.log(link)
}

/** A pairing code with the owner's rights, or with those of our token if it has fewer. Rejects with ClientError if it may not pair at all. */
async function pairingCode(client: Client): Promise<string> {
  const rights: Record<string, unknown> = { approves: 'all', read: 'all', shell: true }
  for (;;) {
    try {
      const answer = await client.phone.request('/pairing', { method: 'POST', body: rights })
      return ((await answer.json()) as { code: string }).code
    } catch (error) {
      const { type, field } = error as PhoneError
      if (type !== 'forbidden') throw toClientError(error, client)
      if (field === null || !(field in rights)) {
        throw new ClientError(
          'open: the token of this machine may not pair a browser; run shellphone open --print on the phone, or pair this machine again after shellphone pair --approves all there',
        )
      }
      delete rights[field]
    }
  }
}

async function opened(link: string): Promise<boolean> {
  for (const program of openers) {
    const child = spawn(program, [link], { stdio: 'ignore' })
    const code = await once(child, 'exit').then(
      ([code]) => code,
      () => null,
    ) // no such program
    if (code === 0) return true
  }
  return false
}
