import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, refuseInsideRun, type ServiceLocation } from './connect-service.ts'

/** What opens an address in a browser, the first that there is. */
const openers = ['termux-open-url', 'xdg-open', 'open']

/** `shellphone open`: the page, in this machine's browser, paired as its owner's. Throws ClientError. */
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
    ) // there is no such program
    if (code === 0) return true
  }
  return false
}
