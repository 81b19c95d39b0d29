import type { Subcommands } from '../parser/index.ts'
import { place, remotesFile } from './place.ts'

const client = () => import('../commands/index.ts')

/** What a token may, for those who make one. */
const rights = {
  approves: {
    value: 'WHOSE',
    meaning:
      'Approvals it may give: none (default); own, for its own commands (its MCP client asks you and reports your answer: only for one you trust not to answer by itself); all, as you',
  },
  read: { value: 'WHOSE', meaning: 'Runs it sees and ends: own (the default), all' },
  shell: { meaning: 'It may open a terminal' },
  files: { value: 'HOW', meaning: 'What it may do with shellphone cp: none, read, write (the default)' },
  'instant-answers': { meaning: 'Its MCP client answers questions by itself, faster than a person' },
  policy: {
    value: 'PRESET',
    meaning: "Judges its commands beside the service's own settings: guarded, supervised, strict",
  },
  dialect: { value: 'NAME', meaning: 'The tool that MCP offers it' },
  addresses: { value: 'LIST', meaning: 'Where it may come from: 192.168.1.0/24,10.0.0.7' },
  'expires-in-days': { value: 'DAYS', meaning: 'It ends by itself' },
}
/** Of every subcommand that prints an answer. */
export const json = { json: { meaning: 'Prints the answer as JSON' } }
/** Of every subcommand that asks a service. */
export const on = {
  on: { value: 'NAME', meaning: 'Asks that paired phone (also SHELLPHONE_REMOTE), see shellphone remote' },
}
const NO_ANSWER = '3 no answer to be had'

/** Subcommands that ask a service that runs, here or elsewhere. */
export const askingSubcommands: Subcommands = {
  run: {
    operands: "'COMMAND'",
    meaning:
      'Runs a command there as if it ran here: its output, its stdin, its exit code; goes on after a lost connection',
    options: {
      detach: { short: 'd', meaning: 'Prints the id and leaves it running; shellphone logs ID -f follows it' },
      'no-stdin': { short: 'n', meaning: 'Gives it no stdin' },
      terminal: { short: 't', meaning: 'In a terminal of its own, as shellphone shell' },
      quiet: { short: 'q', meaning: 'Says nothing of its own on stderr' },
      timeout: { value: 'SECONDS', meaning: 'Ends it after so long; without it, it may take its time' },
      directory: { value: 'PATH', short: 'C', meaning: 'Where it runs' },
      ...json,
      ...on,
    },
    settings: 'place',
    optionsFirst: true,
    examples: [
      "shellphone run 'make -j4 && ls -l build'",
      "tar c . | shellphone run --on phone 'tar x -C backup'",
      'shellphone run -d ./long-job.sh',
    ],
    exitCodes:
      "the command's; 128 + n by signal n, 124 timed out, 126 denied, 130 or 143 canceled, 141 nobody reads its output, 255 our own trouble",
    run: async ({ operands, options, flags }) => (await client()).run(() => place(flags, options), operands, options),
  },
  shell: {
    meaning: 'Opens a terminal there; ~. at the beginning of a line leaves it, to come back to',
    options: { attach: { value: 'ID', meaning: 'Comes back to one that was left' }, ...on },
    completes: 'runs',
    settings: 'place',
    examples: [
      'shellphone shell',
      'shellphone shell --on phone',
      'shellphone shell --on fleet/pixel',
      "shellphone run -t 'vi notes'",
    ],
    exitCodes: `the shell's; ${NO_ANSWER}`,
    run: async ({ operands, options, flags }) => (await client()).shell(await place(flags, options), operands, options),
  },
  cp: {
    operands: 'FROM TO',
    meaning: 'Copies a file to or from a phone (NAME:path, FLEET/PHONE:path, :path); goes on after a lost connection',
    options: {
      recursive: { short: 'r', meaning: 'A directory, with all in it' },
      quiet: { short: 'q', meaning: 'Shows no progress' },
      ...on,
    },
    settings: 'place',
    examples: [
      'shellphone cp photo.jpg phone:Pictures/',
      'shellphone cp -r phone:project .',
      'shellphone cp fleet/pixel:log .',
    ],
    exitCodes: `1 copied, but something was left out or could not be compared; ${NO_ANSWER}, or refused`,
    run: async ({ operands, options, flags }) => {
      const named = (name: string) => (name === '' ? options : new Map([...options, ['on', name]]))
      return (await client()).cp((name) => place(flags, named(name)), operands, options)
    },
  },
  ps: {
    meaning: 'Lists what runs, or waits for a slot or for a person',
    options: { ...json, ...on },
    settings: 'place',
    examples: ['shellphone ps', 'shellphone ps --on phone --json'],
    exitCodes: NO_ANSWER,
    run: async ({ options, flags }) => (await client()).ps(await place(flags, options), options),
  },
  logs: {
    operands: 'ID',
    meaning: 'Prints the output of a run, so far or whole, each stream to its own',
    options: {
      follow: { short: 'f', meaning: 'Goes on until it has ended, over lost connections too' },
      json: { meaning: 'Prints its events, one a line, as the wire has them' },
      ...on,
    },
    completes: 'runs',
    settings: 'place',
    examples: ['shellphone logs 01m2…', 'shellphone logs 01m2… -f > build.log'],
    exitCodes: `with -f those of shellphone run; ${NO_ANSWER}`,
    run: async ({ operands, options, flags }) => (await client()).logs(await place(flags, options), operands, options),
  },
  cancel: {
    operands: 'ID …',
    meaning: 'Ends runs, with all that they started',
    completes: 'runs',
    options: { ...json, ...on },
    settings: 'place',
    examples: ['shellphone cancel 01m2…'],
    exitCodes: NO_ANSWER,
    run: async ({ operands, options, flags }) =>
      (await client()).cancel(await place(flags, options), operands, options),
  },
  history: {
    operands: '[TEXT]',
    meaning: 'Lists what ran, newest first; with TEXT what holds it',
    options: {
      status: { value: 'STATUS', meaning: 'Those alone: completed, failed, timed_out, canceled, denied, live …' },
      limit: { value: 'N', meaning: 'At most so many (50)' },
      before: { value: 'ID', meaning: 'Older ones alone' },
      ...json,
      ...on,
    },
    settings: 'place',
    examples: ['shellphone history', "shellphone history 'git push' --status failed"],
    exitCodes: NO_ANSWER,
    run: async ({ operands, options, flags }) =>
      (await client()).history(await place(flags, options), operands, options),
  },
  check: {
    operands: "'COMMAND'",
    meaning: 'Prints every rule that would speak, and why; runs nothing',
    options: {
      policy: { value: 'PRESET|JSON', meaning: 'Settings to suppose instead of those in force' },
      ...json,
      ...on,
    },
    settings: 'place',
    examples: ["shellphone check 'rm -rf build'", "shellphone check 'ls' --policy strict"],
    exitCodes: '0 allow, 1 deny, 2 ask, 3 no answer to be had',
    run: async ({ operands, options, flags }) => (await client()).check(await place(flags, options), operands, options),
  },
  approvals: {
    operands: '[list|rules|approve ID|deny ID|revoke RULE]',
    meaning: 'Shows what waits for a person, and takes y, n or a (always)',
    options: { always: { meaning: 'With approve: for the very same question from now on, too' }, ...json, ...on },
    settings: 'place',
    examples: ['shellphone approvals', 'shellphone approvals approve 8aK2 --always'],
    exitCodes: NO_ANSWER,
    run: async ({ operands, options, flags }) =>
      (await client()).approvals(await place(flags, options), operands, options),
  },
  token: {
    operands: '[list|create NAME|rotate NAME|revoke NAME]',
    meaning: 'Lists, makes and ends tokens: one for each agent and browser',
    options: { ...rights, ...json, ...on },
    settings: 'place',
    examples: [
      'shellphone token create codex --policy supervised',
      'shellphone token revoke codex',
      'shellphone token rotate owner',
    ],
    exitCodes: NO_ANSWER,
    run: async ({ operands, options, flags }) => (await client()).token(await place(flags, options), operands, options),
  },
  pair: {
    meaning: 'Shows a QR code and a link that hand a token to a new device, once, within five minutes',
    options: { ...rights, ...json, ...on },
    settings: 'place',
    examples: ['shellphone pair', 'shellphone pair --approves all'],
    exitCodes: NO_ANSWER,
    run: async ({ options, flags }) => (await client()).pair(await place(flags, options), options),
  },
  remote: {
    operands: "[list|add NAME 'LINK'|remove NAME]",
    meaning: 'Keeps the phones that this machine is paired with, for --on NAME',
    options: json,
    settings: 'none',
    examples: ["shellphone remote add phone 'https://192.168.1.20:8029/#pair=7QK2-9XMD&key=…'"],
    exitCodes: NO_ANSWER,
    run: async ({ operands, options }) => (await client()).remote(remotesFile(), operands, options.has('json')),
  },
  open: {
    meaning: "Opens the page in this machine's browser, paired",
    options: { print: { meaning: 'Prints the link instead; it is good once, for five minutes' }, ...on },
    settings: 'place',
    examples: ['shellphone open', 'shellphone open --print --on phone'],
    exitCodes: NO_ANSWER,
    run: async ({ options, flags }) => (await client()).open(await place(flags, options), options),
  },
  metrics: {
    meaning: 'Prints what the service counts, as Prometheus reads it',
    options: { ...json, ...on },
    settings: 'place',
    examples: ['shellphone metrics', 'shellphone metrics --on phone'],
    exitCodes: NO_ANSWER,
    run: async ({ options, flags }) => (await client()).metrics(await place(flags, options), options),
  },
}
