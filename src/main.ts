#!/usr/bin/env node
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { completionScript, helpText, readCommandLine, type Subcommands } from './cli/index.ts'
import type { Place } from './client/index.ts'
import { homeFolder, termuxPrefix, tolerateHiddenInterfaces } from './host/index.ts'
import { MARK_NAME, SettingError } from './schema/index.ts'
import type { Settled } from './run-doctor.ts'
import type { Serving } from './serve.ts'
import { allSettings, type Config, readConfig } from './settings.ts'
import { version } from './version.ts'

const client = () => import('./client/index.ts')

/** What a token may, for those who make one. */
const rights = {
  approves: { value: 'WHOSE', meaning: 'Questions it may answer: none (the default), own, all' },
  read: { value: 'WHOSE', meaning: 'Runs it sees and ends: own (the default), all' },
  shell: { meaning: 'It may open a terminal' },
  policy: {
    value: 'PRESET',
    meaning: "Judges its commands beside the service's own settings: guarded, supervised, strict",
  },
  dialect: { value: 'NAME', meaning: 'The tool that MCP offers it' },
  addresses: { value: 'LIST', meaning: 'Where it may come from: 192.168.1.0/24,10.0.0.7' },
  'expires-in-days': { value: 'DAYS', meaning: 'It ends by itself' },
}
const json = { json: { meaning: 'Prints the answer as JSON' } }
const on = { on: { value: 'NAME', meaning: 'Asks that paired phone (also SHELLPHONE_REMOTE), see shellphone remote' } }

const subcommands: Subcommands = {
  serve: {
    meaning: 'Serves until a signal; it is what no subcommand means',
    settings: 'all',
    examples: ['shellphone --host 0.0.0.0', 'shellphone serve --policy supervised'],
    run: async ({ operands, flags }) => {
      if (operands.length > 0) throw new SettingError(`serve: expected no operand, got ${operands[0]}`)
      await (await import('./serve.ts')).serve(() => config(flags))
    },
  },
  approvals: {
    operands: '[list|rules|approve ID|deny ID|revoke RULE]',
    meaning: 'Shows what waits for a person, and takes y, n or a (always)',
    options: { always: { meaning: 'With approve: for the very same question from now on, too' }, ...on },
    settings: 'place',
    examples: ['shellphone approvals', 'shellphone approvals approve 8aK2 --always'],
    exitCodes: '3 no answer to be had',
    run: async ({ operands, options, flags }) =>
      (await client()).approvals(await place(flags, options), operands, options.has('always')),
  },
  check: {
    operands: "'COMMAND'",
    meaning: 'Prints every rule that would speak, and why; runs nothing',
    options: { policy: { value: 'PRESET|JSON', meaning: 'Settings to suppose instead of those in force' }, ...on },
    settings: 'place',
    examples: ["shellphone check 'rm -rf build'", "shellphone check 'ls' --policy strict"],
    exitCodes: '0 allow, 1 deny, 2 ask, 3 no answer to be had',
    run: async ({ operands, options, flags }) =>
      (await client()).check(await place(flags, options), operands, options.get('policy')),
  },
  cp: {
    operands: 'FROM TO',
    meaning: 'Copies a file to or from a phone (NAME:path, :path); goes on after a lost connection',
    options: {
      recursive: { short: 'r', meaning: 'A directory, with all in it' },
      quiet: { short: 'q', meaning: 'Shows no progress' },
      ...on,
    },
    settings: 'place',
    examples: ['shellphone cp photo.jpg phone:Pictures/', 'shellphone cp -r phone:project .'],
    exitCodes: '3 no answer to be had, or refused',
    run: async ({ operands, options, flags }) => {
      const named = (name: string) => (name === '' ? options : new Map([...options, ['on', name]]))
      return (await client()).cp((name) => place(flags, named(name)), operands, options)
    },
  },
  token: {
    operands: '[list|create NAME|rotate NAME|revoke NAME]',
    meaning: 'Lists, makes and ends tokens: one for each agent and browser',
    options: { ...rights, ...json, ...on },
    settings: 'place',
    examples: ['shellphone token create codex --policy supervised', 'shellphone token revoke codex'],
    exitCodes: '3 no answer to be had',
    run: async ({ operands, options, flags }) => (await client()).token(await place(flags, options), operands, options),
  },
  pair: {
    meaning: 'Shows a QR code and a link that hand a token to a new device, once, within five minutes',
    options: { ...rights, ...json, ...on },
    settings: 'place',
    examples: ['shellphone pair', 'shellphone pair --approves all'],
    exitCodes: '3 no answer to be had',
    run: async ({ options, flags }) => (await client()).pair(await place(flags, options), options),
  },
  remote: {
    operands: "[list|add NAME 'LINK'|remove NAME]",
    meaning: 'Keeps the phones that this machine is paired with, for --on NAME',
    options: json,
    settings: 'none',
    examples: ["shellphone remote add phone 'https://192.168.1.20:8029/#pair=7QK2-9XMD&key=…'"],
    exitCodes: '3 no answer to be had',
    run: async ({ operands, options }) => (await client()).remote(remotesFile(), operands, options.has('json')),
  },
  certificate: {
    operands: 'NAME …',
    meaning: 'Prints a certificate for these names, of the key on its stdin (PEM); serve asks for its own so',
    settings: 'none',
    run: async ({ operands }) => {
      const { makeCertificate } = await import('./access/index.ts')
      console.log(await makeCertificate(await text(process.stdin), operands))
    },
  },
  mcp: {
    meaning:
      'Speaks MCP over stdin and stdout for the service of these settings; where none runs, for one in this process',
    options: on,
    settings: 'all',
    examples: ['claude mcp add shellphone -- shellphone mcp', 'shellphone mcp --on phone'],
    run: async ({ options, flags }) => {
      const { connect, findService, mcp } = await client()
      let here: Serving | null = null
      const start = async () => {
        const { serve, STDERR } = await import('./serve.ts')
        here = await serve(() => config(flags.set('host', '127.0.0.1')), STDERR)
        return { url: here.url, headers: { authorization: `Bearer ${here.token}` } }
      }
      const at = await place(flags, options)
      const service = isElsewhere(options) ? { running: connect(at) } : { running: findService(at), start }
      await mcp(service, process.stdin, process.stdout)
      await (here as Serving | null)?.close()
      process.exit()
    },
  },
  metrics: {
    meaning: 'Prints what the service counts, as Prometheus reads it',
    options: on,
    settings: 'place',
    examples: ['shellphone metrics', 'shellphone metrics --on phone'],
    exitCodes: '3 no answer to be had',
    run: async ({ options, flags }) => (await client()).metrics(await place(flags, options)),
  },
  doctor: {
    meaning: 'Looks for what can go wrong here, and says why it matters and what to do',
    options: json,
    settings: 'place',
    examples: ['shellphone doctor', 'shellphone doctor --json'],
    exitCodes: '0 all is well, 1 warnings, 2 errors',
    run: async ({ options, flags }) => {
      const { runDoctor } = await import('./run-doctor.ts')
      return runDoctor(await installed(flags), options.has('json'))
    },
  },
  setup: {
    meaning: 'Makes it a service that starts by itself (Termux, systemd): shows each change, asks, makes it',
    options: {
      lan: { meaning: 'Listen on every network of this machine' },
      local: { meaning: 'Listen for this machine alone (at first so)' },
      port: { value: 'N', meaning: 'Listen there' },
      yes: { meaning: 'Without a question' },
      upgrade: { meaning: 'Restart it onto what is installed' },
      'no-start': { meaning: 'Leave the service as it is' },
      'wake-lock': { meaning: 'Termux: take a wake lock, now and at boot (at first so)' },
      'no-wake-lock': { meaning: 'Termux: do not' },
      undo: { meaning: 'Take away all that it made' },
      purge: { meaning: 'With undo: the home too, with token, history and outputs' },
    },
    settings: 'none',
    examples: ['shellphone setup --lan', 'shellphone setup --upgrade', 'shellphone setup --undo'],
    run: async ({ operands, options }) => {
      const { runSetup } = await import('./run-setup.ts')
      return runSetup(options, operands, process.env, () => installed(new Map()))
    },
  },
  completion: {
    operands: 'bash|zsh|fish',
    meaning: 'Prints what the shell needs to complete subcommands and options',
    settings: 'none',
    examples: ['shellphone completion bash > ~/.local/share/bash-completion/completions/shellphone'],
    run: async ({ operands }) => console.log(completionScript(operands[0], allSettings(machine), subcommands)),
  },
  help: {
    operands: '[SUBCOMMAND|settings]',
    meaning: 'Prints this, a subcommand, or all settings',
    settings: 'none',
    run: async ({ operands }) => console.log(helpText(operands[0], allSettings(machine), subcommands)),
  },
  version: { meaning: 'Prints the version', settings: 'none', run: async () => console.log(version) },
}

const machine = { platform: process.platform, home: homeFolder(process.env), prefix: termuxPrefix(process.env) }

const config = (flags: Map<string, string>, env: NodeJS.ProcessEnv = process.env) => readConfig(env, flags, machine)

/** Settings as the installed service has them: setup gave it some that a terminal's environment lacks. */
async function installed(flags: Map<string, string>): Promise<Settled> {
  const { keptSettings } = await import('./setup/index.ts')
  const env = { ...keptSettings({ ...machine, env: process.env }), ...process.env }
  const defaults = async () => ({
    ...(await config(new Map(), { SHELLPHONE_HOME: '/nonexistent' })),
    home: env.SHELLPHONE_HOME ?? join(machine.home, '.shellphone'),
  })
  return { env, read: () => config(flags, env), defaults, placeOf }
}

/** Paired phones, in the user's own folder (XDG Base Directory). */
const remotesFile = () =>
  join(process.env.XDG_CONFIG_HOME ?? join(machine.home, '.config'), 'shellphone', 'remotes.json')

/** The paired phone that is asked instead of this machine. */
const remoteName = (options: Map<string, string>) => options.get('on') ?? process.env.SHELLPHONE_REMOTE
const isElsewhere = (options: Map<string, string>) => remoteName(options) !== undefined

/** Where the service is: the paired phone that was named, else the one of these settings, for its own command line. */
async function place(flags: Map<string, string>, options: Map<string, string>): Promise<Place> {
  const name = remoteName(options)
  if (name === undefined) return placeOf(await (await installed(flags)).read())
  return { at: (await client()).remoteOf(remotesFile(), name), ...asker() }
}

const placeOf = ({ settings: { host, port }, home, token }: Config): Place => ({
  at: { host, port, home, token },
  ...asker(),
})

const asker = () => ({
  person: process.env.USER ?? process.env.LOGNAME ?? 'owner',
  isInsideRun: process.env[MARK_NAME] !== undefined,
})

/** Reads argv and the environment, here alone. What is wrong with them stops the start with one line. */
async function main(): Promise<void> {
  tolerateHiddenInterfaces()
  const { name, invocation } = readCommandLine(process.argv.slice(2), allSettings(machine), subcommands)
  const exitCode = await subcommands[name]!.run(invocation)
  if (typeof exitCode === 'number') process.exitCode = exitCode
}

main().catch((error) => {
  const isExpected = error instanceof SettingError || 'exitCode' in error
  console.error(isExpected ? `shellphone: ${error.message}` : error)
  process.exitCode = error.exitCode ?? 1
})
