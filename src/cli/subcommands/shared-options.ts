import { numberAbove, oneOf } from '../parser/index.ts'

/** The presets of the setting `policy`. */
export const presets = ['open', 'guarded', 'supervised', 'strict'] as const

/** The rights of a token, as options of the subcommands that create tokens. */
export const rights = {
  approves: {
    value: 'WHOSE',
    values: oneOf('none', 'own', 'all'),
    meaning:
      'Approval requests it may answer: none, own or all. own: those of its own commands, through its MCP client, which must not answer on its own; all: every request, like you (default: none)',
  },
  read: {
    value: 'WHOSE',
    values: oneOf('own', 'all'),
    meaning: 'Runs it may read and cancel: own or all (default: own)',
  },
  shell: { meaning: 'Allow it to open a terminal' },
  files: {
    value: 'HOW',
    values: oneOf('none', 'read', 'write'),
    meaning: 'File access with shellphone cp: none, read or write (default: write)',
  },
  'instant-answers': {
    meaning: 'Accept answers from its MCP client within a second, faster than a person can give them',
  },
  policy: {
    value: 'PRESET',
    values: oneOf(...presets),
    meaning:
      "Also apply this preset to its commands: open, guarded, supervised or strict; the stricter decision of the preset and the service's settings wins (default: the settings alone)",
  },
  dialect: { value: 'NAME', meaning: "Offer it the tool of this dialect over MCP (default: the service's own tools)" },
  addresses: { value: 'LIST', meaning: 'Accept it only from these addresses: 192.168.1.0/24,10.0.0.7 (default: any)' },
  'expires-in-days': {
    value: 'DAYS',
    values: numberAbove(0, 'a number of days'),
    meaning: 'Expire after this many days (default: never)',
  },
  'idle-days': {
    value: 'DAYS',
    values: numberAbove(0, 'a number of days'),
    meaning: 'Expire after this many days without use (default: never; for pair: 90)',
  },
}
/** The option of every subcommand that prints a result. */
export const json = { json: { meaning: 'Print the result as JSON' } }
/** The option of every subcommand that sends requests to a service. */
export const on = {
  on: {
    value: 'NAME',
    completes: 'remotes',
    meaning: 'Use this paired phone (default: SHELLPHONE_REMOTE, or this machine); see shellphone remote',
  },
} as const

/** What the help says about the id of a run. */
export const idNote =
  'shellphone ps and shellphone history list ids. 4 or more characters of the beginning or end of an id are enough if no other run has them; an error lists the runs that do.'
/** The same for a subcommand that takes only live runs. */
export const liveIdNote =
  'shellphone ps lists ids. 4 or more characters of the beginning or end of an id are enough if no other live run has them; an error lists the runs that do.'
/** The same for the id of a queued job. */
export const jobNote =
  'shellphone fleet jobs lists ids. 4 or more characters of the beginning or end of an id are enough if no other of the newest jobs has them.'
/** What the help says about the id of an approval request. */
export const approvalNote =
  'ID is the id of a request or of the run that waits for it. 4 or more characters of its beginning or end are enough if no other has them.'
