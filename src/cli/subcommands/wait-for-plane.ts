import { once } from 'node:events'
import { connect } from 'node:net'
import { urlOf } from '../../server/host/index.ts'

const START_MS = 10_000
/** A wait up to this long needs no explanation. */
const NOTICE_MS = 1000

/**
 * Waits up to 11 s while the address refuses connections, because a person may just have started the control plane in the background. After
 * 1 s, prints what it waits for.
 */
export async function waitForPlane(host: string, port: number, print: (line: string) => void): Promise<void> {
  const { within } = await import('../setup/index.ts')
  const hasStarted = () => isListening(host, port)
  if (await within(NOTICE_MS, hasStarted)) return
  print(`waiting for the control plane at ${urlOf(host, port)}`)
  await within(START_MS, hasStarted)
}

async function isListening(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port })
  try {
    await once(socket, 'connect')
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ECONNREFUSED'
  } finally {
    socket.destroy()
  }
}
