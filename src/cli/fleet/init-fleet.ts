import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { makeCertificate } from '../../server/access/index.ts'
import { makeDirectory, privateFile } from '../../server/host/index.ts'
import { brokerVersion, newFleet, versionIn } from '../../fleet/plane/index.ts'
import { SettingError, UsageError } from '../../shared/schema/index.ts'
import { openTools } from '../../server/tools.ts'

/** The version to assume if nats-server is not installed on this machine. */
const NEWEST = '2.12.7'
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
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new UsageError(
      `fleet init: --broker-port: expected a number from 1 to 65535, got ${options.get('broker-port')}; see shellphone fleet init --help`,
    )
  const version = brokerVersion(options.get('broker-version') ?? (await installedVersion()) ?? NEWEST, nodes.length > 1)
  for (const [path, text] of await newFleet({ directory, url, nodes, port, version, makeCertificate })) {
    const file = join(directory, path)
    makeDirectory(dirname(file), 0o700)
    privateFile(file).write(text)
    console.log(file)
  }
  for (const warning of version.warnings) console.error(`shellphone: ${warning}`)
}

async function installedVersion(): Promise<string | null> {
  const { stdout } = await openTools(process.env).run(['nats-server', '--version'], VERSION_MS)
  return versionIn(stdout)
}
