import { text } from 'node:stream/consumers'
import { on } from './shared-options.ts'
import {
  completionScript,
  type CompletionShell,
  helpText,
  invalid,
  manPage,
  manPages,
  oneOf,
  serviceNames,
  type Subcommands,
  wholeNumber,
} from '../parser/index.ts'
import { styleOf } from '../print/index.ts'
import { config, installed, locateService, settingRows } from './locate-service.ts'
import { runMcp } from './run-mcp.ts'
import { version } from '../../shared/package/index.ts'
import { UsageError, visible } from '../../shared/schema/index.ts'

/** Subcommands that work in this process; `all` returns the whole table, for help and completion. */
export const ownSubcommands = (all: () => Subcommands): Subcommands => ({
  serve: {
    group: 'Service',
    meaning: 'Run the service until a signal stops it',
    notes: ['It keeps running when its terminal is closed: SIGHUP reloads its settings. Ctrl-C or SIGTERM stops it.'],
    settings: 'all',
    examples: ['shellphone serve --host 0.0.0.0', 'shellphone serve --policy supervised'],
    run: async ({ flags }) => {
      await (await import('../serve/index.ts')).serve(() => config(flags))
    },
  },
  mcp: {
    group: 'Service',
    meaning:
      'Connect an agent over MCP, on stdin and stdout, to the running service; without one, start it in this process',
    options: on,
    settings: 'all',
    notes: [
      'SHELLPHONE_TOKEN is the token of the agent (see shellphone token create). Without it, the agent has your rights: it reads all runs, and a client that answers forms on its own approves its own commands. With it, mcp does not start a service.',
    ],
    examples: [
      'claude mcp add --env SHELLPHONE_TOKEN=$(shellphone token create claude) --scope user shellphone -- shellphone mcp',
      'claude mcp add --scope user phone -- shellphone mcp --on phone',
    ],
    run: async ({ options, flags }) => runMcp(options, flags),
  },
  doctor: {
    group: 'Service',
    meaning: 'Check for problems; explain why each matters and how to fix it',
    options: { json: { meaning: 'Print the report as JSON' } },
    settings: 'place',
    examples: ['shellphone doctor', 'shellphone doctor --json'],
    exitCodes: `0 no problem found, 1 warnings or errors (status in the output of --json), ${invalid}`,
    run: async ({ options, flags }) => {
      const { runDoctor } = await import('../local/index.ts')
      return runDoctor(await installed(flags), options.has('json'))
    },
  },
  setup: {
    group: 'Service',
    meaning: 'Install Shellphone as a service that starts at boot (Termux, systemd); show each change and ask first',
    options: {
      lan: { meaning: 'Listen on every network of this machine' },
      local: {
        meaning: 'Listen on this machine only (default: keep the current address; a new installation has this one)',
      },
      // ports below 1024 need privileges, and no Android app may use them
      port: {
        value: 'N',
        values: wholeNumber(1024, 65_535),
        meaning: 'Listen on this port (default: the setting port)',
      },
      yes: { meaning: 'Make the changes without asking' },
      upgrade: { meaning: 'Restart the service with the installed version' },
      'no-start': { meaning: 'Do not start or restart the service' },
      'wake-lock': { meaning: 'Termux: take a wake lock, now and at boot (default)' },
      'no-wake-lock': { meaning: 'Termux: take no wake lock' },
      undo: { meaning: 'Remove everything that setup created' },
      purge: { meaning: 'With --undo: also delete the home (token, history, outputs) and the paired phones' },
    },
    settings: 'none',
    examples: ['shellphone setup --lan', 'shellphone setup --upgrade', 'shellphone setup --undo'],
    run: async ({ options }) => {
      const { runSetup } = await import('../local/index.ts')
      return runSetup(options, process.env, () => installed(new Map()))
    },
  },
  config: {
    group: 'Service',
    meaning: 'Show and change the settings of the service in config.yaml',
    defaultVerb: 'show',
    verbs: {
      show: {
        operands: '[NAME]',
        completes: 'settings',
        alsoCalled: ['list', 'ls', 'get'],
        meaning:
          'Print the settings of the next start and their sources; with NAME, one value, its source, and the value of the running service if it differs',
        notes: ['shellphone config NAME does the same.'],
      },
      set: {
        operands: 'NAME VALUE',
        completes: 'setting and value',
        alsoCalled: ['add', 'edit'],
        meaning: 'Check a value and write it to config.yaml; say when it takes effect',
        settings: 'home',
        notes: [
          'A list is written as a,b or as JSON. Comments and other settings in config.yaml stay.',
          'shellphone help NAME lists the values of a setting, and says whether a change applies at once or at the next start.',
        ],
        exitCodes: `0 written, 1 written, but the service does not accept the file, ${invalid}`,
      },
      unset: {
        operands: 'NAME',
        completes: 'settings',
        alsoCalled: ['remove', 'rm', 'delete', 'reset'],
        meaning: 'Remove a setting from config.yaml, so that its default applies',
        settings: 'home',
        exitCodes: `0 removed, 1 removed, but the service does not accept the file, ${invalid}`,
      },
      import: {
        operands: 'FILE',
        completes: 'files',
        meaning: "Convert another system's configuration (YAML, TOML, JSON) and print the settings",
        options: {
          from: {
            value: 'SYSTEM',
            values: oneOf('oneclaw', 'picoclaw', 'nullclaw', 'agent-world', 'meka'),
            meaning:
              'The system that FILE is from: oneclaw, picoclaw, nullclaw, agent-world or meka (default: recognized by its keys)',
          },
          write: { meaning: 'Add the settings to config.yaml' },
        },
        settings: 'home',
      },
    },
    options: { json: { meaning: 'Print the result as JSON' } },
    completes: 'settings',
    settings: 'all',
    examples: [
      'shellphone config',
      'shellphone config show port',
      'shellphone config set timeout_seconds 60',
      'shellphone config unset timeout_seconds',
      'shellphone config import picoclaw.yaml --write',
    ],
    run: async ({ operands, options, flags }) => {
      const { changeSetting, runImport, showConfig } = await import('../local/index.ts')
      const settings = await installed(flags)
      const [verb, name = '', value] = operands
      const isJson = options.has('json')
      if (verb === 'import') return runImport(await settings.read(), name, options)
      if (verb === 'set' || verb === 'unset') return changeSetting(settings, name, value, isJson)
      return showConfig(settings, verb === 'show' ? operands[1] : verb, isJson)
    },
  },
  certificate: {
    group: 'Service',
    operands: 'NAME …',
    meaning: 'Print a self-signed certificate for these names and addresses, for the private key on stdin (PEM)',
    notes: [
      'You need this only for a certificate of your own: without one, serve makes its own. Pass the certificate and the key to serve with the settings tls_certificate and tls_key.',
    ],
    settings: 'none',
    examples: [
      'openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 > key.pem',
      'shellphone certificate phone.local 192.168.1.20 < key.pem > certificate.pem',
      'shellphone serve --tls-certificate "$PWD/certificate.pem" --tls-key "$PWD/key.pem"',
    ],
    run: async ({ operands }) => {
      if (process.stdin.isTTY) {
        throw new UsageError(
          'certificate: expected a private key (PEM) on stdin, got a terminal; see shellphone certificate --help',
        )
      }
      const { makeCertificate } = await import('../../server/access/index.ts')
      console.log(await makeCertificate(await text(process.stdin), operands))
    },
  },
  completion: {
    group: 'Help',
    meaning: 'Print the completion script of a shell',
    verbs: {
      bash: { meaning: 'Print the script for bash' },
      zsh: { meaning: 'Print the script for zsh' },
      fish: { meaning: 'Print the script for fish' },
      words: {
        operands: 'KIND',
        words: serviceNames,
        isForScripts: true,
        meaning: `Print the names that the service knows, for these scripts: ${serviceNames.join(', ')}`,
        options: on,
        settings: 'place',
      },
    },
    settings: 'none',
    examples: [
      'shellphone completion bash > ~/.local/share/bash-completion/completions/shellphone',
      "echo 'source <(shellphone completion zsh)' >> ~/.zshrc",
      'shellphone completion fish > ~/.config/fish/completions/shellphone.fish',
    ],
    run: async ({ operands: [verb, kind], options, flags }) => {
      if (verb !== 'words') return console.log(completionScript(verb as CompletionShell, await settingRows(), all()))
      const known = serviceNames.find((one) => one === kind)
      if (known === undefined)
        throw new UsageError(`completion words: expected ${serviceNames.join(', ')}, got ${visible(kind!)}`)
      await (await import('../commands/index.ts')).completionNames(() => locateService(flags, options), known)
    },
  },
  help: {
    group: 'Help',
    operands: '[SUBCOMMAND|settings|SETTING] [SUBCOMMAND]',
    completes: 'topics',
    meaning: 'Show this help, the help of a subcommand, all settings, or one setting',
    settings: 'none',
    examples: ['shellphone help', 'shellphone help token create', 'shellphone help policy'],
    run: async ({ operands }) => console.log(helpText(operands, await settingRows(), all(), styleOf(process.stdout))),
  },
  man: {
    group: 'Help',
    operands: '[SUBCOMMAND] [SUBCOMMAND]',
    completes: 'subcommands',
    meaning: 'Print a manual page in the format of man; without SUBCOMMAND, that of shellphone itself',
    options: { directory: { value: 'PATH', meaning: 'Write all manual pages into this directory instead' } },
    settings: 'none',
    examples: ['shellphone man run | man -l -', 'shellphone man --directory ~/.local/share/man/man1'],
    run: async ({ operands, options }) => {
      const manual = { rows: await settingRows(), subcommands: all(), version }
      const directory = options.get('directory')
      if (directory === undefined) return void process.stdout.write(manPage(operands, manual))
      const { writeManual } = await import('../local/index.ts')
      writeManual(directory, manPages(manual))
    },
  },
  version: {
    group: 'Help',
    meaning: 'Print the version',
    options: { json: { meaning: 'Print it as JSON' } },
    settings: 'none',
    run: async ({ options }) => console.log(options.has('json') ? JSON.stringify({ version }) : version),
  },
})
