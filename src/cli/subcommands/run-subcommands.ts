import { byteOffsets, oneOf, type Subcommands, type Values, usualCodes, wholeNumber } from '../parser/index.ts'
import { locateService } from './locate-service.ts'
import { idNote, json, liveIdNote, on } from './shared-options.ts'

const client = () => import('../commands/index.ts')

/** The statuses of runs, and `live` for all that have not ended. */
const statuses = ['live', 'queued', 'starting', 'running', 'completed', 'failed', 'timed_out', 'canceled', 'denied']

const fixedStatuses = oneOf(...statuses, 'killed', 'needs_approval')
/** The statuses as the lists show them, too: spaces instead of underscores, and a failure with its signal or exit code. */
const statusValues: Values = {
  ...fixedStatuses,
  accepts: (text) => fixedStatuses.accepts(text.replaceAll(' ', '_')) || /^(killed SIG\w+|failed \d+)$/.test(text),
}

/** Subcommands that list, print and cancel runs. */
export const runSubcommands: Subcommands = {
  ps: {
    group: 'Runs',
    meaning: 'List live runs, including those that wait for a slot, for approval or for their session',
    alsoCalled: ['list', 'ls', 'jobs', 'status', 'top'],
    options: { ...json, ...on },
    settings: 'place',
    examples: ['shellphone ps', 'shellphone ps --on phone --json'],
    exitCodes: usualCodes,
    run: async ({ options, flags }) => (await client()).ps(await locateService(flags, options), options),
  },
  logs: {
    group: 'Runs',
    operands: '[ID | --last]',
    meaning: 'Print the output of a run: its stdout to stdout, its stderr to stderr',
    notes: [idNote],
    alsoCalled: ['tail'],
    withOption: { wait: '-f', attach: '-f' },
    options: {
      last: { meaning: 'Use the newest run that you started (with the same token) instead of ID' },
      follow: { short: 'f', meaning: 'Continue until the run ends; resume after dropped connections' },
      from: {
        value: 'BYTES',
        values: byteOffsets,
        meaning: 'Skip these first bytes of stdout and of stderr, such as 4096.120; Ctrl-C prints where to continue',
      },
      tail: {
        value: 'LINES',
        short: 'n',
        values: wholeNumber(0, 1_000_000),
        meaning: 'Print only the last LINES lines of each stream, and with -f what follows',
      },
      json: { meaning: 'Print its events as JSON, one per line' },
      ...on,
    },
    completes: 'runs',
    settings: 'place',
    examples: ['shellphone logs --last', 'shellphone logs ID -f > build.log', 'shellphone logs ID -n 20'],
    exitCodes: `${usualCodes}; with -f those of shellphone run`,
    run: async ({ operands, options, flags }) =>
      (await client()).logs(await locateService(flags, options), operands, options),
  },
  cancel: {
    group: 'Runs',
    operands: '[ID … | --last]',
    meaning: 'Cancel runs and kill their process trees',
    notes: [liveIdNote],
    alsoCalled: ['kill', 'stop'],
    completes: 'live-runs',
    options: {
      last: { meaning: 'Cancel the newest live run that you started (with the same token)' },
      ...json,
      ...on,
    },
    settings: 'place',
    examples: ['shellphone cancel ID', 'shellphone cancel --last'],
    exitCodes: usualCodes,
    run: async ({ operands, options, flags }) =>
      (await client()).cancel(await locateService(flags, options), operands, options),
  },
  sessions: {
    group: 'Runs',
    meaning: 'List and remove sessions: the directory and variables that a command passes on with run --session NAME',
    alsoCalled: ['session'],
    defaultVerb: 'list',
    verbs: {
      list: {
        meaning: 'List the sessions of your token, with their state, last use, number of variables and directory',
        alsoCalled: ['ls', 'show'],
        options: { all: { meaning: 'List the sessions of all tokens' } },
      },
      remove: {
        operands: 'NAME',
        completes: 'sessions',
        alsoCalled: ['rm', 'delete', 'revoke', 'end'],
        meaning: 'Remove a session of your token; a command that runs in it continues, and its state is not kept',
      },
    },
    options: { ...json, ...on },
    settings: 'place',
    examples: [
      "shellphone run --session work 'cd /srv && export CC=clang'",
      'shellphone sessions',
      'shellphone sessions remove work',
    ],
    exitCodes: usualCodes,
    run: async ({ operands, options, flags }) =>
      (await client()).sessions(await locateService(flags, options), operands, options),
  },
  history: {
    group: 'Runs',
    operands: '[TEXT]',
    meaning: 'List past and live runs, newest first; with TEXT, those that contain it',
    options: {
      status: {
        value: 'STATUS',
        values: statusValues,
        meaning: 'Only runs with this status (live: not ended; default: any)',
      },
      limit: { value: 'N', short: 'n', values: wholeNumber(1, 1000), meaning: 'Show at most this many (default: 50)' },
      before: {
        value: 'ID',
        completes: 'runs',
        meaning: 'Only runs older than this one; the beginning of its id is enough',
      },
      ...json,
      ...on,
    },
    settings: 'place',
    examples: ['shellphone history', "shellphone history 'git push' --status failed"],
    exitCodes: usualCodes,
    run: async ({ operands, options, flags }) =>
      (await client()).history(await locateService(flags, options), operands, options),
  },
}
