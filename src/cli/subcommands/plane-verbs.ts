import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { approvalNote, jobNote, json, on } from './shared-options.ts'
import { UsageError } from '../../shared/schema/index.ts'
import type { ServiceLocation } from '../commands/index.ts'
import type { FleetVerb } from './phone-verbs.ts'
import { config, isElsewhere, locateService } from './locate-service.ts'
import { urlOf } from '../../server/host/index.ts'
import { waitForPlane } from './wait-for-plane.ts'
import { duration, invalid, oneOf, wholeNumber } from '../parser/index.ts'

const client = () => import('../commands/index.ts')
const select = {
  select: {
    value: 'SELECTOR',
    isList: true,
    meaning: 'Only these phones: name=NAME, or labels such as lab=berlin,arm64 (default: all)',
  },
}
/** What the help says about a selector. */
const selectorNote =
  "SELECTOR is name=NAME for one phone, labels such as lab=berlin,arm64 for the phones that have all of them (a label without a value matches any value), or '*' for all phones. fleet phones lists names and labels."

const onFleet = {
  on: {
    ...on.on,
    meaning: 'Use the control plane paired under this name (default: the one on this machine); see shellphone remote',
  },
}
const asking = { ...json, ...onFleet }

type OptionValues = Map<string, string>

/** The settings of a control plane that `fleet serve` accepts as options. */
const planeSettings = {
  'plane-host': { value: 'ADDRESS', meaning: 'Listen on this address (default: 127.0.0.1)' },
  'plane-port': { value: 'PORT', values: wholeNumber(0, 65_535), meaning: 'Listen on this port (default: 8030)' },
  'plane-directory': {
    value: 'PATH',
    meaning: 'The directory of plane.json, which fleet init writes (default: plane in the home)',
  },
  'plane-webhook': {
    value: 'URL',
    meaning: 'Send a POST request to this URL for each approval request (default: none)',
  },
}

const ELSEWHERE =
  'to use one on another machine, pair with it: run shellphone fleet token NAME there, then run the command that it prints here, and pass --on FLEET'

/** The control plane: the paired one that `--on` names, otherwise the one in this machine's settings. */
async function planeAt(options: OptionValues, flags: OptionValues): Promise<ServiceLocation> {
  if (isElsewhere(options)) return { ...(await locateService(flags, options, 'plane')), role: 'plane' }
  const settled = await config(new Map([...flags, ...directoryIn(options)]))
  const { planeDirectory } = await import('../fleet/index.ts')
  const { PLANE_FILE, readPlaneFile } = await import('../../fleet/plane/index.ts')
  const { plane_host: host, plane_port: port } = settled.settings
  const directory = planeDirectory(settled)
  const file = join(directory, PLANE_FILE)
  if (!existsSync(file))
    throw new UsageError(
      `fleet: no control plane on this machine (${file} does not exist); to use one on this machine, set SHELLPHONE_PLANE_DIRECTORY; ${ELSEWHERE}`,
    )
  const { token } = readPlaneFile(directory)
  await waitForPlane(host, port, (line) => console.error(`shellphone: ${line}`))
  const rejected = `the control plane rejected the token in ${file}; check that it was started with this directory (SHELLPHONE_PLANE_DIRECTORY)`
  const at = { url: urlOf(host, port), key: null, token, rejected }
  return { ...(await locateService(flags, options)), at, role: 'plane' }
}

const directoryIn = (options: OptionValues) => [...options].filter(([name]) => name === 'plane-directory')

/** The verbs for a control plane. Verbs that send requests to it work from any machine. To add a verb, add a row. */
export const planeVerbs: Record<string, FleetVerb> = {
  init: {
    meaning: 'Create the keys and files of a new fleet',
    operands: 'DIRECTORY',
    completes: 'files',
    settings: 'none',
    options: {
      url: {
        value: 'URL',
        meaning:
          'The address of the control planes for phones and agents, such as https://fleet.example.com (default: http://127.0.0.1:8030)',
      },
      nodes: { value: 'NAMES', meaning: "Host names of the brokers, one or three, such as a,b,c (default: the URL's)" },
      'broker-port': {
        value: 'PORT',
        values: wholeNumber(1, 65_535),
        meaning: 'Port of the brokers (default: 443, on loopback 4222)',
      },
      'broker-version': { value: 'VERSION', meaning: "Version of nats-server (default: this machine's)" },
    },
    run: async ({ operands: [directory = ''], options }) =>
      (await import('../fleet/index.ts')).initFleet(directory, options),
  },
  serve: {
    meaning: 'Run the control plane until a signal stops it',
    notes: [
      'It listens when a broker of the fleet (nats-server) responds. Until then, it logs the reason; shellphone fleet doctor checks the brokers.',
    ],
    settings: 'home',
    options: planeSettings,
    run: async ({ options, flags }) => {
      await (await import('../fleet/index.ts')).servePlane(await config(new Map([...flags, ...options])))
    },
  },
  invite: {
    settings: 'home',
    meaning: 'Print a command that lets one phone join, once, within 15 minutes',
    operands: 'NAME',
    options: {
      label: {
        value: 'LABELS',
        isList: true,
        meaning: 'Labels of the phone, such as lab=berlin,arm64; may be repeated (default: none)',
      },
      ...asking,
    },
    run: async ({ operands: [name = ''], options, flags }) =>
      (await client()).fleetInvite(await planeAt(options, flags), name, options),
  },
  token: {
    settings: 'home',
    meaning: 'Create a token with which an agent or a person can use the fleet',
    operands: 'NAME',
    options: {
      role: {
        value: 'ROLE',
        values: oneOf('agent', 'person', 'admin'),
        meaning: 'Its rights: agent (run, read its own runs), person (read all, approve) or admin (default: agent)',
      },
      revoke: { meaning: 'Revoke the token' },
      select: {
        ...select.select,
        meaning:
          'Only these phones: name=NAME, or labels such as lab=berlin,arm64; not with --role admin, which manages all phones and tokens (default: all)',
      },
      ...asking,
    },
    run: async ({ operands: [name = ''], options, flags }) =>
      (await client()).fleetToken(await planeAt(options, flags), name, options),
  },
  tokens: {
    settings: 'home',
    meaning: 'List the tokens of the fleet, except the one in plane.json',
    options: asking,
    run: async ({ options, flags }) => (await client()).fleetTokens(await planeAt(options, flags), options),
  },
  phones: {
    settings: 'home',
    meaning: 'List the phones of the fleet',
    options: {
      ...select,
      settle: { value: 'NAME', meaning: 'Accept NAME again, after two devices used it and only one still does' },
      ...asking,
    },
    run: async ({ options, flags }) => (await client()).fleetPhones(await planeAt(options, flags), options),
  },
  exec: {
    settings: 'home',
    meaning: 'Run a command on the selected phones, and print each result as it arrives',
    operands: "SELECTOR 'COMMAND'",
    notes: [selectorNote, 'Ctrl-C cancels the command on all phones; a second one exits without waiting.'],
    exitCodes: `0 every phone ran the command, and it returned 0; 1 on a phone it failed, was denied, or has not ended; ${invalid}; 3 the control plane did not respond, or refused`,
    options: {
      queue: {
        value: 'TIME',
        values: duration,
        meaning: 'Queue a job; phones that are offline get it if they return within this time, at most 7d: 1h, 2d …',
      },
      wait: {
        value: 'TIME',
        values: duration,
        meaning: 'After this time, report unfinished commands with their current state (default: 30s)',
      },
      timeout: {
        value: 'TIME',
        values: duration,
        meaning:
          'Stop it on each phone after this time, at most max_timeout_seconds of the phone, with --queue max_background_seconds (default: timeout_seconds of the phone, 30s)',
      },
      pick: { meaning: 'Run only on the least busy of the selected phones; not with --queue' },
      ...asking,
    },
    run: async ({ operands, options, flags }) =>
      (await client()).fleetExec(await planeAt(options, flags), operands, options),
  },
  jobs: {
    settings: 'home',
    meaning: 'List the newest queued jobs, at most 20, and on how many of their phones they have finished',
    options: asking,
    run: async ({ options, flags }) => (await client()).fleetJobs(await planeAt(options, flags), options),
  },
  job: {
    settings: 'home',
    meaning: 'Show what a queued job did on each of its phones: status, exit code, time and output',
    operands: 'ID',
    notes: [jobNote],
    exitCodes: `0 every phone ran the command, and it returned 0, or --cancel was sent; 1 on a phone it failed, was denied, or has not ended; ${invalid}; 3 the control plane did not respond, or refused`,
    options: {
      cancel: { meaning: 'Cancel running commands and withdraw unsent ones' },
      wait: { value: 'TIME', values: duration, meaning: 'Wait for the end on all phones first, at most this time' },
      ...asking,
    },
    run: async ({ operands: [id = ''], options, flags }) =>
      (await client()).fleetJob(await planeAt(options, flags), id, options),
  },
  approvals: {
    settings: 'home',
    words: ['list', 'show', 'approve', 'deny'],
    meaning: 'List the pending approvals of all phones, show all that an answer to one covers, or answer it',
    operands: '[list|show|approve|deny] [PHONE] [ID]',
    notes: [approvalNote],
    options: { identical: { meaning: 'Give the same answer to other phones that ask for the same' }, ...asking },
    run: async ({ operands, options, flags }) =>
      (await client()).fleetApprovals(await planeAt(options, flags), operands, options),
  },
  revoke: {
    settings: 'home',
    meaning: 'Remove a phone, and revoke its credentials',
    operands: 'NAME',
    options: {
      directory: {
        value: 'PATH',
        meaning:
          'The directory of fleet init, with offline/ (default: the one that contains the directory of plane.json)',
      },
      ...onFleet,
    },
    run: async ({ operands: [name = ''], options, flags }) => {
      const { fleetFiles, revokePhone } = await import('../fleet/index.ts')
      const files = fleetFiles(options.get('directory'), await config(flags))
      const { public_key } = await (await client()).retirePhone(await planeAt(options, flags), name)
      console.log(`${name}: revoked, ${(await revokePhone(files, public_key)).toFixed(0)} ms`)
    },
  },
  doctor: {
    settings: 'home',
    meaning: 'Check the brokers of the fleet; say how to fix each problem',
    exitCodes: `0 no problem found, 1 warnings or errors, ${invalid}`,
    options: { 'plane-directory': planeSettings['plane-directory'] },
    run: async ({ options, flags }) => {
      const { doctorFleet } = await import('../fleet/index.ts')
      return doctorFleet(await config(new Map([...flags, ...options])))
    },
  },
}
