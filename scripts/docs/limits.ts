import { readFileSync } from 'node:fs'
import type { SettingRow } from '../../src/shared/schema/index.ts'

/** Whether a setting bounds something. */
export const isLimit = ({ name, default: value }: SettingRow): boolean =>
  /^(max_|min_|limit_|timeout|approval_timeout|history_max|terminal_idle|body_limit|kill_grace|plane_max)|_limit/.test(
    name,
  ) &&
  (typeof value === 'number' || value === null)

type Unit = 'bytes' | 'ms' | ''

/** Limits that no setting changes: what is limited, and the constant in the source that limits it. */
const fixed: [what: string, file: string, name: string, unit: Unit][] = [
  ['Command of a request', 'shared/schema/request', 'MAX_COMMAND_BYTES', 'bytes'],
  ['Variables that a request adds, in all', 'server/exec/environment', 'MAX_ADDITIONS_BYTES', 'bytes'],
  ['Value of one variable', 'server/exec/environment', 'MAX_VALUE_BYTES', 'bytes'],
  ['Levels of nesting in JSON', 'shared/schema/bounded-json', 'MAX_DEPTH', ''],
  ['Values in JSON', 'shared/schema/bounded-json', 'MAX_VALUES', ''],
  ['Size of an artifact that is hashed', 'server/exec/record', 'MAX_ARTIFACT_BYTES', 'bytes'],
  ['Idempotency keys that are remembered, of all tokens', 'server/store/keys', 'MAX_KEYS', ''],
  ['How long an idempotency key is remembered', 'server/store/keys', 'MAX_AGE_MS', 'ms'],
  ['`wait_seconds` of `GET /runs/:id`, in seconds', 'server/routes/run-routes', 'MAX_WAIT_SECONDS', ''],
  ['Output searched by one `GET /runs/:id/matches`', 'server/store/search-output', 'MAX_SEARCHED_BYTES', 'bytes'],
  ['Runs that one WebSocket follows besides its own', 'server/routes/ws-messages', 'MAX_ATTACHED', ''],
  ['Time to send the token on a new WebSocket', 'http/socket-gate', 'AUTH_DEADLINE_MS', 'ms'],
  ['What a WebSocket may send before its token', 'http/socket-gate', 'MAX_UNAUTHENTICATED_BYTES', 'bytes'],
  ['Body of a request without a token', 'server/routes/security', 'MAX_UNAUTHENTICATED_BODY_BYTES', 'bytes'],
  ['Time to send a whole request, except uploads', 'server/app', 'REQUEST_TIMEOUT_MS', 'ms'],
  ['Path of a file', 'server/exec/transfer-request', 'MAX_PATH_BYTES', 'bytes'],
  ['Simultaneous file transfers', 'server/exec/executor', 'MAX_TRANSFERS', ''],
  ['Time without data after which a transfer ends', 'server/routes/files-down', 'STALL_MS', 'ms'],
  ['Names in one page of a directory', 'server/routes/file-schemas', 'MAX_LIST', ''],
  ['Unfinished uploads that can be resumed', 'server/files/uploads', 'MAX_UNFINISHED', ''],
  ['How long an unfinished upload is kept', 'server/files/uploads', 'MAX_AGE_MS', 'ms'],
  ['Named tokens', 'server/access/tokens', 'MAX_TOKENS', ''],
  ['Wrong tries of a pairing code', 'server/access/pairing', 'MAX_TRIES', ''],
  ['Events in the access log', 'shared/schema/access-log-size', 'MAX_ACCESS_EVENTS', ''],
  ['Saved approvals', 'server/open-executor', 'MAX_SAVED_RULES', ''],
  ['All records in the history', 'server/store/retention', 'MAX_HISTORY_BYTES', 'bytes'],
  ['Body of a request through a fleet', 'shared/schema/fleet', 'FLEET_MAX_BODY_BYTES', 'bytes'],
]

export const fixedLimits = (): [what: string, limit: string][] =>
  fixed.map(([what, file, name, unit]) => [what, shown(valueOf(file, name), unit)])

/** The value of a constant, from the source, because most of them are private to their modules. */
function valueOf(file: string, name: string): number {
  const text = readFileSync(new URL(`../../src/${file}.ts`, import.meta.url), 'utf8')
  const [, value] = new RegExp(`const ${name} = ([\\d_ *]+)$`, 'm').exec(text) ?? []
  if (value === undefined) throw new Error(`src/${file}.ts: expected the constant ${name} with a number`)
  return value.split('*').reduce((product, factor) => product * Number(factor.trim().replaceAll('_', '')), 1)
}

const scales: Record<Unit, [size: number, name: string][]> = {
  bytes: [
    [2 ** 30, 'GiB'],
    [2 ** 20, 'MiB'],
    [2 ** 10, 'KiB'],
    [1, 'bytes'],
  ],
  ms: [
    [86_400_000, 'days'],
    [1000, 's'],
    [1, 'ms'],
  ],
  '': [[1, '']],
}

/** The value in the largest unit in which it is a whole number. */
function shown(value: number, unit: Unit): string {
  const [size, name] = scales[unit].find(([size]) => value % size === 0)!
  const count = value / size
  return `${count} ${count === 1 ? name.replace(/(?<=\w{2})s$/, '') : name}`.trim()
}
