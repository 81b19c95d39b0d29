import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, refuseInsideRun, type ServiceLocation } from './connect-service.ts'

/** Programs that open a URL in a browser, in the order in which to try them. */
const openers = ['termux-open-url', 'xdg-open', 'open']

/** `shellphone open`: opens the page in this machine's browser, paired with the owner's rights. Rejects with ClientError. */
export async function open(place: ServiceLocation, options: ReadonlyMap<string, string>): Promise<void> {
  refuseInsideRun(place, 'open: only a person may pair a browser')
  const client = connect(place)
  const { code } = await client.request<{ code: string }>('POST', '/pairing', {
    approves: 'all',
    read: 'all',
    shell: true,
  })
  const link = `${client.url}/#pair=${code}`
  if (!options.has('print') && (await opened(link))) return
  console.log(link)
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
