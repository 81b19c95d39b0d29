import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { makeCertificate } from '../../server/access/index.ts'
import { makeDirectory, privateFile } from '../../server/host/index.ts'
import { brokerVersion, newFleet, OFFLINE_FILE, versionIn } from '../../fleet/plane/index.ts'
import { SettingError, UsageError } from '../../shared/schema/index.ts'
import { openTools } from '../../server/tools.ts'

/** The version to assume if nats-server is not on the PATH. */
const ASSUMED = '2.12.7'
const VERSION_MS = 5_000

/** `shellphone fleet init DIRECTORY`: writes the keys, the configuration of the brokers, and the control planes' file. Throws SettingError if the directory already contains a fleet. */
export async function initFleet(given: string, options: ReadonlyMap<string, string>): Promise<void> {
  const directory = resolve(given)
  if (existsSync(join(directory, 'offline'))) {
    throw new SettingError(`fleet init: ${directory} already contains a fleet`)
  }
  const url = (options.get('url') ?? 'http://127.0.0.1:8030').replace(/\/$/, '')
  if (!URL.canParse(url)) {
    throw new UsageError(`fleet init: --url: expected https://HOST, got ${url}; see shellphone fleet init --help`)
  }
  const { hostname } = new URL(url)
  const nodes = (options.get('nodes') ?? hostname).split(',')
  const port = Number(options.get('broker-port') ?? (nodes.length === 1 && hostname === '127.0.0.1' ? 4222 : 443))
  const found = options.get('broker-version') ?? (await installedVersion())
  const version = brokerVersion(found ?? ASSUMED, nodes.length > 1)
  const files = [...(await newFleet({ directory, url, nodes, port, version, makeCertificate }))]
  for (const [path, text] of files) {
    const file = join(directory, path)
    makeDirectory(dirname(file), 0o700)
    privateFile(file).write(text)
    console.log(file)
  }
  if (found === null) {
    console.error(
      `shellphone: nats-server is not on the PATH, so the brokers' configuration is for version ${ASSUMED}. If you have another version, delete ${directory} and create the fleet again with --broker-version`,
    )
  }
  if (nodes.includes(hostname) && port === portOf(url)) {
    console.error(
      `shellphone: the broker and ${url} both need port ${port} of ${hostname}; create the fleet again in a new directory with --broker-port 4222, or with --nodes NAME for a broker on another machine`,
    )
  }
  for (const warning of version.warnings) console.error(`shellphone: ${warning}`)
  console.log(
    nextSteps(
      directory,
      url,
      files.map(([path]) => path),
    ),
  )
}

async function installedVersion(): Promise<string | null> {
  const { stdout } = await openTools(process.env).run(['nats-server', '--version'], VERSION_MS)
  return versionIn(stdout)
}

/** The port that clients of this URL connect to. */
function portOf(url: string): number {
  const { protocol, port } = new URL(url)
  return Number(port || (protocol === 'https:' ? 443 : 80))
}

/** What to do after init, in order. */
function nextSteps(directory: string, url: string, paths: string[]): string {
  const brokers = paths.filter((path) => path.endsWith('/nats.conf'))
  return [
    '',
    `Next, ${brokers.length > 1 ? 'copy each broker directory to its machine, and ' : ''}run:`,
    ...brokers.map((path) => `  nats-server -c '${join(directory, path)}'`),
    `  export SHELLPHONE_PLANE_DIRECTORY='${join(directory, 'plane')}'${portVariable(url)}`,
    '  shellphone fleet serve',
    '  shellphone fleet invite NAME',
    `Then store ${join(directory, OFFLINE_FILE)} offline: it can revoke phones and create credentials.`,
  ].join('\n')
}

/** The port at which the control plane listens, if no proxy that serves HTTPS is in front of it. */
function portVariable(url: string): string {
  const { protocol, port } = new URL(url)
  return protocol === 'http:' && port !== '' ? ` SHELLPHONE_PLANE_PORT=${port}` : ''
}
