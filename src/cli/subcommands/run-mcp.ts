import type { Serving } from '../../server/serve.ts'
import { config, isElsewhere, locateService } from './locate-service.ts'

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
  const hasToken = process.env.SHELLPHONE_TOKEN !== undefined // a service that starts here would make it the owner's token
  const service = isElsewhere(options) || hasToken ? { running: connect(at) } : { running: findService(at), start }
  await mcp(service, process.stdin, process.stdout)
  await (here as Serving | null)?.close()
  process.exit()
}
