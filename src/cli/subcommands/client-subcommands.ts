import { duration, invalid, noAnswer, oneOfOrJson, type Subcommands, usualCodes, type Verb } from '../parser/index.ts'
import { accessSubcommands } from './access-subcommands.ts'
import { locateService } from './locate-service.ts'
import { runSubcommands } from './run-subcommands.ts'
import { approvalNote, json, on, presets } from './shared-options.ts'

const client = () => import('../commands/index.ts')

/** What the help says about a path on a phone. */
const pathNote =
  'NAME is a paired phone, FLEET/PHONE is a phone of a paired fleet, and :path is on the phone that --on selects, by default this machine. A relative path starts at the home directory there.'

/** The operands of the verbs for approval requests. */
const pending: Pick<Verb, 'operands' | 'completes' | 'notes'> = {
  operands: '[ID … | --last]',
  completes: 'approvals',
  notes: [approvalNote],
}
const lastRequest = { last: { meaning: 'Use the newest request instead of ID' } }

/** Subcommands that send requests to a running service, here or on another machine. */
export const clientSubcommands: Subcommands = {
  run: {
    group: 'Commands and files',
    operands: 'COMMAND …',
    meaning: 'Run a command as if it ran here, with its output, stdin and exit code; resume after a dropped connection',
    options: {
      detach: {
        short: 'd',
        meaning: 'Print its id and return at once, without sending stdin; follow it with shellphone logs ID -f',
      },
      'no-stdin': { short: 'n', meaning: 'Send no stdin' },
      terminal: {
        short: 't',
        meaning: 'Run it in a terminal, like shellphone shell, for a program that reads what you type',
      },
      quiet: { short: 'q', meaning: 'Print no messages of Shellphone on stderr' },
      timeout: {
        value: 'TIME',
        values: duration,
        meaning:
          'Stop it after this time: 90s, 15m, 1h, or seconds (default: the setting max_background_seconds, a day)',
      },
      directory: {
        value: 'PATH',
        short: 'C',
        meaning:
          'Run it in this directory; a relative PATH starts at the setting working_directory, by default the home directory of the service (default: the setting working_directory)',
      },
      session: {
        value: 'NAME',
        completes: 'sessions',
        meaning:
          'Start in the directory in which the last command with this NAME ended, and with its exported variables; -d and -t start there but change neither',
      },
      ...json,
      ...on,
    },
    notes: [
      'Stdin is sent unless it is a terminal or -d is given: in a terminal, without -t, a command that reads stdin gets an empty one, so start such a program with -t: shellphone run -t python3',
      'The first Ctrl-C sends SIGINT to the command, the second cancels the run and kills its process tree, the third exits without waiting.',
      'If the connection drops, run reconnects and continues at the exact byte; without a client for 30 s, the run is canceled (not with -d).',
    ],
    completes: 'files',
    settings: 'place',
    alsoCalled: ['exec'],
    otherOptions: {
      i: '-t runs it in a terminal',
      interactive: '-t runs it in a terminal',
      tty: '-t runs it in a terminal',
      e: "set variables in the command: 'A=b COMMAND'",
      env: "set variables in the command: 'A=b COMMAND'",
    },
    optionsFirst: true,
    examples: [
      "shellphone run 'make -j4 && ls -l build'",
      "tar c . | shellphone run --on phone 'tar x -C backup'",
      'shellphone run -d ./long-job.sh',
    ],
    ownErrorCode: 255,
    exitCodes:
      "the command's; 128 + n for signal n, 124 timed out, 126 denied, 130 or 143 canceled, 141 its output was closed, 255 an error of shellphone, also an invalid command line",
    run: async ({ operands, options, flags }) =>
      (await client()).run(() => locateService(flags, options), operands, options),
  },
  shell: {
    group: 'Commands and files',
    withOption: { attach: '--attach' },
    meaning: 'Open a terminal; ~. at the start of a line leaves it running, ~? lists such keys',
    options: {
      attach: {
        value: 'ID',
        completes: 'live-runs',
        meaning: 'Return to a detached terminal; 4 or more characters of the beginning or end of its id are enough',
      },
      ...on,
    },
    settings: 'place',
    examples: [
      'shellphone shell',
      'shellphone shell --on phone',
      'shellphone shell --on fleet/pixel',
      "shellphone run -t 'vi notes'",
    ],
    exitCodes: `the shell's, as for shellphone run; ${invalid}, ${noAnswer}`,
    run: async ({ options, flags }) => (await client()).shell(await locateService(flags, options), options),
  },
  cp: {
    group: 'Commands and files',
    operands: 'FROM … TO',
    alsoCalled: ['copy', 'scp', 'files'],
    meaning: 'Copy files to or from a phone (NAME:path, FLEET/PHONE:path, :path); resume after a dropped connection',
    notes: [pathNote, 'On this machine, - is stdin or stdout, and ./- a file with this name.'],
    options: {
      recursive: { short: 'r', meaning: 'Copy directories with everything in them' },
      quiet: { short: 'q', meaning: 'Show no progress' },
      ...on,
    },
    completes: 'files',
    settings: 'place',
    examples: [
      'shellphone cp photo.jpg phone:Pictures/',
      'shellphone cp -r phone:project .',
      'shellphone cp fleet/pixel:log .',
      'shellphone cp *.jpg phone:Pictures/',
      'shellphone cp phone:log - | tail',
    ],
    exitCodes: `0 copied, 1 copied, but an entry was skipped or could not be compared, or stdout could not be written, ${invalid}, ${noAnswer}`,
    run: async ({ operands, options, flags }) => {
      const named = (name: string) => (name === '' ? options : new Map([...options, ['on', name]]))
      return (await client()).cp((name) => locateService(flags, named(name)), operands, options)
    },
  },
  edit: {
    group: 'Commands and files',
    operands: 'NAME:PATH',
    words: [':'],
    meaning: 'Open a file of a phone in $VISUAL or $EDITOR here, and write it back unless it has changed there',
    notes: [pathNote],
    options: on,
    settings: 'place',
    examples: [
      'shellphone edit phone:notes.md',
      'shellphone edit fleet/pixel:.bashrc',
      'EDITOR=nano shellphone edit :todo',
    ],
    exitCodes: `0 written or unchanged, 1 the editor failed, ${invalid}, ${noAnswer}`,
    run: async ({ operands, options, flags }) => {
      const named = (name: string) => (name === '' ? options : new Map([...options, ['on', name]]))
      return (await client()).edit((name) => locateService(flags, named(name)), operands[0]!)
    },
  },
  ...runSubcommands,
  check: {
    group: 'Approvals',
    operands: 'COMMAND …',
    meaning: 'Show every rule that applies to a command, and why, without running it',
    completes: 'files',
    options: {
      policy: {
        value: 'PRESET|JSON',
        values: oneOfOrJson(...presets),
        meaning: 'Check against this preset, or these settings of the policy, instead of the current ones',
      },
      ...json,
      ...on,
    },
    settings: 'place',
    optionsFirst: true,
    examples: ["shellphone check 'rm -rf build'", 'shellphone check --policy strict ls -la'],
    exitCodes: `0 allow, 1 deny, 4 ask, ${invalid}, ${noAnswer}`,
    run: async ({ operands, options, flags }) =>
      (await client()).check(await locateService(flags, options), operands, options),
  },
  approvals: {
    group: 'Approvals',
    meaning: 'Show pending approvals, and answer them with y, n or a (always)',
    defaultVerb: 'watch',
    verbs: {
      watch: { meaning: 'Show pending approvals live, and answer them with keys' },
      list: { meaning: 'List pending approvals, one on each line' },
      show: {
        ...pending,
        meaning: 'Show everything that an answer covers: command, variables, stdin, sandbox, scripts',
        options: lastRequest,
      },
      approve: {
        ...pending,
        meaning: 'Approve requests',
        options: { always: { meaning: 'Also approve identical requests in future' }, ...lastRequest },
      },
      deny: { ...pending, meaning: 'Deny requests', options: lastRequest },
      rules: { meaning: 'List saved approvals' },
      revoke: { operands: 'RULE', completes: 'rules', meaning: 'Revoke a saved approval' },
    },
    options: { ...json, ...on },
    settings: 'place',
    examples: ['shellphone approvals', 'shellphone approvals show --last', 'shellphone approvals approve ID --always'],
    exitCodes: usualCodes,
    run: async ({ operands, options, flags }) =>
      (await client()).approvals(await locateService(flags, options), operands, options),
  },
  ...accessSubcommands,
  metrics: {
    group: 'Service',
    meaning: "Print the service's counters in Prometheus format",
    options: { ...json, ...on },
    settings: 'place',
    examples: ['shellphone metrics', 'shellphone metrics --on phone'],
    exitCodes: usualCodes,
    run: async ({ options, flags }) => (await client()).metrics(await locateService(flags, options), options),
  },
}
