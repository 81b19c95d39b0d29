import { json, on } from './asking-subcommands.ts'
import type { Place } from '../commands/index.ts'
import type { FleetVerb } from './phone-verbs.ts'
import { config, isElsewhere, place } from './place.ts'
import { urlOf } from '../../server/host/index.ts'

const client = () => import('../commands/index.ts')
const select = { select: { value: 'SELECTOR', meaning: 'Those alone: lab=berlin,arm64, name=NAME' } }
const asking = { ...json, ...on }

type Given = Map<string, string>

/** Settings of planes that serve takes, as its options. */
const planeSettings = {
  'plane-host': { value: 'ADDRESS', meaning: 'serve: listens there' },
  'plane-port': { value: 'PORT', meaning: 'serve: listens there' },
  'plane-directory': { value: 'PATH', meaning: 'Where plane.json is' },
  'plane-webhook': { value: 'URL', meaning: 'serve: hears of questions' },
}

/** The plane: a paired one that was named, else that of this machine's settings. */
async function planeAt(options: Given, flags: Given): Promise<Place> {
  if (isElsewhere(options)) return place(flags, options)
  const settled = await config(new Map([...flags, ...directoryIn(options)]))
  const { planeDirectory } = await import('../fleet/index.ts')
  const { readPlaneFile } = await import('../../fleet/plane/index.ts')
  const { plane_host: host, plane_port: port } = settled.settings
  const { token } = readPlaneFile(planeDirectory(settled))
  return { ...(await place(flags, options)), at: { url: urlOf(host, port), key: null, token } }
}

const directoryIn = (options: Given) => [...options].filter(([name]) => name === 'plane-directory')

/** The control plane's: those who ask it work from anywhere. To add a verb, add a row. */
export const planeVerbs: Record<string, FleetVerb> = {
  init: {
    operands: 'DIRECTORY',
    options: {
      url: { value: 'URL', meaning: 'init: where phones and agents find the planes, https://fleet.example.com' },
      nodes: { value: 'NAMES', meaning: "init: the brokers' host names, one or three; default the URL's" },
      'broker-port': { value: 'PORT', meaning: 'init: where they listen; default 443, on loopback 4222' },
      'broker-version': { value: 'VERSION', meaning: 'init: of nats-server; default that of this machine' },
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
    options: { label: { value: 'LABELS', meaning: 'invite: lab=berlin,arm64' }, ...asking },
    run: async ({ operands: [name = ''], options, flags }) =>
      (await client()).fleetInvite(await planeAt(options, flags), name, options),
  },
  token: {
    operands: 'NAME',
    options: {
      role: { value: 'ROLE', meaning: 'token: agent (runs and reads), person (answers too), admin' },
      revoke: { meaning: 'token: ends it' },
      ...select,
      ...asking,
    },
    run: async ({ operands: [name = ''], options, flags }) =>
      (await client()).fleetToken(await planeAt(options, flags), name, options),
  },
  phones: {
    operands: '',
    options: { ...select, settle: { value: 'NAME', meaning: 'phones: one device has that name again' }, ...asking },
    run: async ({ options, flags }) => (await client()).fleetPhones(await planeAt(options, flags), options),
  },
  exec: {
    operands: "SELECTOR 'COMMAND'",
    options: {
      queue: { value: 'TIME', meaning: 'exec: a job; phones that are away get it within 1h, 2d …' },
      wait: { value: 'TIME', meaning: 'exec: what has not ended by then is told of as it is (30s)' },
      pick: { meaning: 'exec: the idlest of them alone' },
      ...asking,
    },
    run: async ({ operands, options, flags }) =>
      (await client()).fleetExec(await planeAt(options, flags), operands, options),
  },
  job: {
    operands: 'ID',
    options: { cancel: { meaning: 'job: ends what runs, withdraws what was not sent' }, ...asking },
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
