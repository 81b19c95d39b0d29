import { json, on } from './client-subcommands.ts'
import type { ServiceLocation } from '../commands/index.ts'
import type { FleetVerb } from './phone-verbs.ts'
import { config, isElsewhere, locateService } from './locate-service.ts'
import { urlOf } from '../../server/host/index.ts'

const client = () => import('../commands/index.ts')
const select = { select: { value: 'SELECTOR', meaning: 'Only these phones: lab=berlin,arm64 or name=NAME' } }
const asking = { ...json, ...on }

type OptionValues = Map<string, string>

/** The settings of a control plane that `fleet serve` accepts as options. */
const planeSettings = {
  'plane-host': { value: 'ADDRESS', meaning: 'serve: listen on this address' },
  'plane-port': { value: 'PORT', meaning: 'serve: listen on this port' },
  'plane-directory': { value: 'PATH', meaning: 'The directory of plane.json' },
  'plane-webhook': { value: 'URL', meaning: 'serve: send a POST request to this URL for each approval request' },
}

/** The control plane: the paired one that `--on` names, otherwise the one in this machine's settings. */
async function planeAt(options: OptionValues, flags: OptionValues): Promise<ServiceLocation> {
  if (isElsewhere(options)) return locateService(flags, options)
  const settled = await config(new Map([...flags, ...directoryIn(options)]))
  const { planeDirectory } = await import('../fleet/index.ts')
  const { readPlaneFile } = await import('../../fleet/plane/index.ts')
  const { plane_host: host, plane_port: port } = settled.settings
  const { token } = readPlaneFile(planeDirectory(settled))
  return { ...(await locateService(flags, options)), at: { url: urlOf(host, port), key: null, token } }
}

const directoryIn = (options: OptionValues) => [...options].filter(([name]) => name === 'plane-directory')

/** The verbs for a control plane. Verbs that send requests to it work from any machine. To add a verb, add a row. */
export const planeVerbs: Record<string, FleetVerb> = {
  init: {
    operands: 'DIRECTORY',
    options: {
      url: {
        value: 'URL',
        meaning: 'init: the address of the control planes for phones and agents, https://fleet.example.com',
      },
      nodes: { value: 'NAMES', meaning: "init: host names of the brokers, one or three (default: the URL's)" },
      'broker-port': { value: 'PORT', meaning: 'init: port of the brokers (default: 443, on loopback 4222)' },
      'broker-version': { value: 'VERSION', meaning: "init: version of nats-server (default: this machine's)" },
    },
    run: async ({ operands: [directory = ''], options }) =>
      (await import('../fleet/index.ts')).initFleet(directory, options),
  },
  serve: {
    operands: '',
    options: planeSettings,
    run: async ({ options, flags }) => {
      await (await import('../fleet/index.ts')).servePlane(await config(new Map([...flags, ...options])))
    },
  },
  invite: {
    operands: 'NAME',
    options: { label: { value: 'LABELS', meaning: 'invite: labels of the phone, lab=berlin,arm64' }, ...asking },
    run: async ({ operands: [name = ''], options, flags }) =>
      (await client()).fleetInvite(await planeAt(options, flags), name, options),
  },
  token: {
    operands: 'NAME',
    options: {
      role: { value: 'ROLE', meaning: 'token: agent (run, read its own runs), person (read all, approve) or admin' },
      revoke: { meaning: 'token: revoke the token' },
      ...select,
      ...asking,
    },
    run: async ({ operands: [name = ''], options, flags }) =>
      (await client()).fleetToken(await planeAt(options, flags), name, options),
  },
  phones: {
    operands: '',
    options: {
      ...select,
      settle: { value: 'NAME', meaning: 'phones: confirm that only one device uses this name again' },
      ...asking,
    },
    run: async ({ options, flags }) => (await client()).fleetPhones(await planeAt(options, flags), options),
  },
  exec: {
    operands: "SELECTOR 'COMMAND'",
    options: {
      queue: {
        value: 'TIME',
        meaning: 'exec: queue a job; phones that are offline get it if they return within 1h, 2d …',
      },
      wait: {
        value: 'TIME',
        meaning: 'exec: after this time, report unfinished commands with their current state (default: 30s)',
      },
      pick: { meaning: 'exec: run only on the least busy of the selected phones' },
      ...asking,
    },
    run: async ({ operands, options, flags }) =>
      (await client()).fleetExec(await planeAt(options, flags), operands, options),
  },
  job: {
    operands: 'ID',
    options: { cancel: { meaning: 'job: cancel running commands and withdraw unsent ones' }, ...asking },
    run: async ({ operands: [id = ''], options, flags }) =>
      (await client()).fleetJob(await planeAt(options, flags), id, options),
  },
  approvals: {
    operands: '[approve|deny] [PHONE] [ID]',
    options: asking,
    run: async ({ operands, options, flags }) =>
      (await client()).fleetApprovals(await planeAt(options, flags), operands, options),
  },
  revoke: {
    operands: 'NAME',
    options: { directory: { value: 'PATH', meaning: 'revoke: the directory of fleet init, with its keys' }, ...on },
    run: async ({ operands: [name = ''], options, flags }) => {
      const { mustHaveKeys, revokePhone } = await import('../fleet/index.ts')
      const directory = options.get('directory') ?? '.'
      mustHaveKeys(directory)
      const { public_key } = await (await client()).retirePhone(await planeAt(options, flags), name)
      console.log(`${name}: revoked, ${(await revokePhone(directory, public_key)).toFixed(0)} ms`)
    },
  },
  doctor: {
    operands: '',
    options: { 'plane-directory': planeSettings['plane-directory'] },
    run: async ({ options, flags }) => {
      const { doctorFleet } = await import('../fleet/index.ts')
      return doctorFleet(await config(new Map([...flags, ...options])))
    },
  },
}
