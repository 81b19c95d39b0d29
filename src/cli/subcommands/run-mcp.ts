import type { Serving } from '../../server/serve.ts'
import { config, locateService } from './locate-service.ts'

type OptionValues = Map<string, string>

/** `shellphone mcp`: connects stdin and stdout to the service, or to one that it starts in this process. Ends the process. */
export async function runMcp(options: OptionValues, flags: OptionValues): Promise<never> {
  const { connect, findService, mcp } = await import('../commands/index.ts')
  const at = await locateService(flags, options)
  let here: Serving | null = null
  const start = async () => {
    const { serve, STDERR } = await import('../serve/index.ts')
    here = await serve(() => config(flags.set('host', '127.0.0.1')), STDERR)
    return connect({ ...at, at: { url: here.url, key: null, token: here.token } })
  }
  // a service that starts here would make a given token the owner's
  const service = at.at.token === null ? { running: findService(at), start } : { running: connect(at) }
  await mcp(service, process.stdin, process.stdout)
  await (here as Serving | null)?.close()
  process.exit()
}
