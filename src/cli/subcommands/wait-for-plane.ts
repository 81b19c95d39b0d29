import { once } from 'node:events'
import { connect } from 'node:net'

const START_MS = 10_000

/** Waits up to 10 s while the address refuses connections, because a person may just have started the control plane in the background. */
export async function waitForPlane(host: string, port: number): Promise<void> {
  const { within } = await import('../setup/index.ts')
  await within(START_MS, () => isListening(host, port))
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
