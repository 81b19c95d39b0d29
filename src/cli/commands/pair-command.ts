import { isLoopback } from '../../shared/schema/index.ts'
import { connect, refuseInsideRun, type ServiceLocation } from './connect-service.ts'
import { rightsIn } from './token-command.ts'

interface PairingCode {
  code: string
  expires_at: string
  links: string[]
}

const LOCAL =
  'The service listens only on this machine. To pair another device, restart it with --host 0.0.0.0 (shellphone setup: --lan).'

/** `shellphone pair`: prints a QR code for a camera and a link for `remote add`, for one device. Throws ClientError. */
export async function pair(place: ServiceLocation, options: ReadonlyMap<string, string>): Promise<void> {
  refuseInsideRun(place, 'pair: only a person may pair a device')
  const offer = await connect(place).request<PairingCode>('POST', '/pairing', rightsIn(options))
  console.log(options.has('json') ? JSON.stringify(offer) : await describe(offer, options))
}

async function describe({ code, links }: PairingCode, options: ReadonlyMap<string, string>): Promise<string> {
  const { renderUnicodeCompact } = await import('uqr')
  const [link = ''] = links
  const isLocal = links.every((one) => isLoopback(new URL(one).hostname))
  const place = isLocal ? 'On this machine' : 'On the other device'
  return [
    ...(isLocal ? [LOCAL] : [renderUnicodeCompact(link)]),
    '',
    `code ${code}, valid once within five minutes; it replaces any earlier code.`,
    ...rightsLines(options),
    '',
    `${place}, run one of:`,
    '',
    ...links.map((one) => `  shellphone remote add phone '${one}'`),
    ...(isLocal ? [] : ['  or scan the QR code with its camera']),
    '',
    'Then add an agent: claude mcp add --scope user phone -- shellphone mcp --on phone',
    '                   codex mcp add phone -- shellphone mcp --on phone',
    '  VS Code, Cursor:   {"command": "shellphone", "args": ["mcp", "--on", "phone"]}',
    ...curlLines(link, code).map((one, index) => `${(index === 0 ? '  curl:' : '').padEnd(21)}${one}`),
  ].join('\n')
}

/** What the paired device may do, and how to get more. */
function rightsLines(options: ReadonlyMap<string, string>): string[] {
  const { approves = 'none', read = 'own' } = Object.fromEntries(options)
  const rights = [
    APPROVES[approves] ?? `approves ${approves}`,
    read === 'all' ? 'reads all runs' : 'reads only its own runs',
  ]
  const shell = options.has('shell') ? 'can open terminals' : 'cannot open terminals'
  const isFull = approves === 'all' && read === 'all' && options.has('shell')
  return [
    `The device that uses it ${rights.join(', ')} and ${shell}.`,
    ...(isFull ? [] : ['For a browser of your own: shellphone pair --approves all --read all --shell']),
  ]
}

const APPROVES: Record<string, string> = {
  none: 'approves nothing',
  own: 'approves only its own commands',
  all: 'approves everything, as you do',
}

/** Commands that exchange the code for a token and run a command, using only curl. */
function curlLines(link: string, code: string): string[] {
  const { origin, hash } = new URL(link)
  const key = new URLSearchParams(hash.slice(1)).get('key')
  const pin = key === null ? '' : `-k --pinnedpubkey 'sha256//${Buffer.from(key, 'base64url').toString('base64')}' `
  return [
    `curl ${pin}${origin}/pair --json '{"code": "${code}", "name": "laptop"}'`,
    `curl ${pin}${origin}/exec -H "Authorization: Bearer $TOKEN" --json '{"command": "uname -a"}' # TOKEN: the field token of the first reply`,
  ]
}
