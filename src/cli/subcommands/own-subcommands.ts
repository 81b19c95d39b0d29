import { text } from 'node:stream/consumers'
import { on } from './asking-subcommands.ts'
import { completionScript, helpText, type Subcommands } from '../parser/index.ts'
import { config, installed, isElsewhere, place, settingRows } from './place.ts'
import { SettingError } from '../../shared/schema/index.ts'
import type { Serving } from '../../server/serve.ts'
import { version } from '../../shared/package/index.ts'

/** Subcommands that do their work in this process; `all`: the whole table, for those that tell of it. */
export const ownSubcommands = (all: () => Subcommands): Subcommands => ({
  serve: {
    meaning: 'Serves until a signal; it is what no subcommand means',
    settings: 'all',
    examples: ['shellphone --host 0.0.0.0', 'shellphone serve --policy supervised'],
    run: async ({ operands, flags }) => {
      if (operands.length > 0) throw new SettingError(`serve: expected no operand, got ${operands[0]}`)
      await (await import('../serve/index.ts')).serve(() => config(flags))
    },
  },
  mcp: {
    meaning:
      'Speaks MCP over stdin and stdout for the service of these settings; where none runs, for one in this process',
    options: on,
    settings: 'all',
    examples: ['claude mcp add shellphone -- shellphone mcp', 'shellphone mcp --on phone'],
    run: async ({ options, flags }) => {
      const { connect, findService, mcp } = await import('../commands/index.ts')
      const at = await place(flags, options)
      let here: Serving | null = null
      const start = async () => {
        const { serve, STDERR } = await import('../serve/index.ts')
        here = await serve(() => config(flags.set('host', '127.0.0.1')), STDERR)
        return connect({ ...at, at: { url: here.url, key: null, token: here.token } })
      }
      const service = isElsewhere(options) ? { running: connect(at) } : { running: findService(at), start }
      await mcp(service, process.stdin, process.stdout)
      await (here as Serving | null)?.close()
      process.exit()
    },
  },
  doctor: {
    meaning: 'Looks for what can go wrong here, and says why it matters and what to do',
    options: { json: { meaning: 'Prints the answer as JSON' } },
    settings: 'place',
    examples: ['shellphone doctor', 'shellphone doctor --json'],
    exitCodes: '0 all is well, 1 warnings, 2 errors',
    run: async ({ options, flags }) => {
      const { runDoctor } = await import('../local/index.ts')
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
      const { runSetup } = await import('../local/index.ts')
      return runSetup(options, operands, process.env, () => installed(new Map()))
    },
  },
  config: {
    operands: '[NAME]',
    meaning: 'Prints the settings in force, those that were changed first',
    options: { json: { meaning: 'Prints them as JSON' } },
    settings: 'all',
    examples: ['shellphone config', 'shellphone config port'],
    run: async ({ operands, options, flags }) => {
      const { showConfig } = await import('../local/index.ts')
      console.log(showConfig(await (await installed(flags)).read(), operands, options.has('json')))
    },
  },
  certificate: {
    operands: 'NAME …',
    meaning: 'Prints a certificate for these names, of the key on its stdin (PEM); serve asks for its own so',
    settings: 'none',
    run: async ({ operands }) => {
      const { makeCertificate } = await import('../../server/access/index.ts')
      console.log(await makeCertificate(await text(process.stdin), operands))
    },
  },
  completion: {
    operands: 'bash|zsh|fish',
    meaning: 'Prints what the shell needs to complete subcommands and options',
    settings: 'none',
    examples: ['shellphone completion bash > ~/.local/share/bash-completion/completions/shellphone'],
    run: async ({ operands }) => console.log(completionScript(operands[0], await settingRows(), all())),
  },
  help: {
    operands: '[SUBCOMMAND|settings]',
    meaning: 'Prints this, a subcommand, or all settings',
    settings: 'none',
    run: async ({ operands }) => console.log(helpText(operands[0], await settingRows(), all())),
  },
  version: {
    meaning: 'Prints the version',
    options: { json: { meaning: 'Prints it as JSON' } },
    settings: 'none',
    run: async ({ options }) => console.log(options.has('json') ? JSON.stringify({ version }) : version),
  },
})
