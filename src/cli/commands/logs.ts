import { isUtf8 } from 'node:buffer'
import { OUTPUT_CLOSED } from '../print/index.ts'
import { UsageError, visible } from '../../shared/schema/index.ts'
import {
  type GapEvent,
  type Offsets,
  type Phone,
  PhoneError,
  type Run,
  type RunEvent,
  type RunRecord,
} from '../../sdk/index.ts'
import { asClientError, type Client, connect, type ServiceLocation } from './connect-service.ts'
import { endBySignal } from './end-by-signal.ts'
import { codeOfSignal, exitCodeOf, NOT_DONE } from './exit-code.ts'
import { connectionRemarks, remarks } from './remarks.ts'
import { offsetsIn, resumeCommand } from './resume-command.ts'
import { namedRun } from './short-ids.ts'
import { OutputError, writeOutput, writeOut } from './own-streams.ts'
import { tailOffsets } from './tail-offsets.ts'
import { denialText, waitOf } from './wait-text.ts'

type Options = ReadonlyMap<string, string>

/**
 * `shellphone logs ID|--last [-f] [-n LINES]`: prints the output so far, stdout to stdout and stderr to stderr. With -f, continues until the run ends, and
 * resolves with its exit code. With -n, starts at the last lines of each stream. With --json, prints each event as one line. A line on stderr reports output that is not stored. Throws ClientError.
 */
export async function logs(place: ServiceLocation, operands: string[], options: Options): Promise<number> {
  const client = connect(place)
  try {
    const named = await namedRun('logs', client, operands, options)
    if (named === undefined) {
      console.error('shellphone: logs --last: your token has started no run; list other runs with shellphone history')
      return NOT_DONE
    }
    return await pour(client, named.id, options)
  } catch (error) {
    if (error instanceof OutputError) return error.isClosed ? OUTPUT_CLOSED : NOT_DONE
    throw asClientError(error, client, '/runs/')
  }
}

type Show = (event: RunEvent) => unknown

const passOutput: Show = (event) => {
  if (event.type === 'output') return writeOutput(event)
  if (event.type === 'gap') console.error(describeGap(event))
}

const describeGap = ({ stream, offset, next_offset }: GapEvent): string =>
  `shellphone: ${stream}: bytes ${offset} to ${next_offset} are not stored`

/** Prints each event as one line, in its wire format. */
const print: Show = (event) => writeOut('stdout', Buffer.from(`${JSON.stringify(toWire(event))}\n`))

function toWire(event: RunEvent): object {
  if (event.type !== 'output') return event
  const bytes = Buffer.from(event.bytes)
  const encoding = isUtf8(bytes) ? 'utf8' : 'base64'
  return { ...event, bytes: undefined, data: bytes.toString(encoding), encoding }
}

async function pour(client: Client, id: string, options: Options): Promise<number> {
  const { phone } = client
  const record = await phone.record(id)
  const wait = waitOf(record, client)
  if (wait !== undefined) remark(wait)
  const at = await startIn(options, phone, record)
  const run = await phone.attach(id, { ...at, observe: true, gaps: 'report' })
  const show = options.has('json') ? print : passOutput
  try {
    if (options.has('follow')) return await toItsEnd(run, at, show, options)
    await soFar(run, at, record, show)
    if (record.status === 'denied') remark(denialText(record))
    for (const { code, text } of record.notes) if (code === 'OUTPUT_NOT_KEPT') remark(text)
    return 0
  } finally {
    run.leave()
  }
}

/** The offsets to start from, by --from or --tail. Throws UsageError if both are set. */
async function startIn(options: Options, phone: Phone, record: RunRecord): Promise<Offsets> {
  const [from, lines] = [options.get('from'), options.get('tail')]
  if (lines === undefined) return offsetsIn(from)
  if (from === undefined) return tailOffsets(phone, record, Number(lines), remark)
  throw new UsageError('logs: expected either --from or --tail, got both; see shellphone logs --help')
}

/** Prints a message of Shellphone itself. */
const remark = (line: string) => console.error(`shellphone: ${visible(line)}`)

/** Prints everything from `at` to the end of the run. After Ctrl-C or a lost connection, says which command continues. */
async function toItsEnd(run: Run, at: Offsets, show: Show, options: Options): Promise<number> {
  process.once('SIGINT', run.leave)
  try {
    for await (const event of run.events()) {
      if (event.type === 'disconnected' || event.type === 'connected') remark(connectionRemarks[event.type])
      else await show(event)
      if (event.type === 'output' || event.type === 'gap') at[event.stream] = event.next_offset
      if (event.type !== 'result') continue
      for (const line of remarks(event)) remark(line)
      return exitCodeOf(event)
    }
    remark(`interrupted; continue with ${resumeCommand(run.id, at, options)}`)
    endBySignal('SIGINT')
    return codeOfSignal('SIGINT')
  } catch (error) {
    const isLost = error instanceof PhoneError && error.type === 'unreachable'
    if (isLost) remark(`when the service responds again, continue with ${resumeCommand(run.id, at, options)}`)
    throw error
  } finally {
    process.off('SIGINT', run.leave)
  }
}

/** Prints the output that existed when the client read the record. */
async function soFar(run: Run, at: Offsets, { stdout_bytes, stderr_bytes }: RunRecord, show: Show): Promise<void> {
  let wanted = stdout_bytes - at.stdout + stderr_bytes - at.stderr
  if (wanted === 0) return
  for await (const event of run.events()) {
    if (event.type !== 'output' && event.type !== 'gap') continue
    await show(event)
    wanted -= event.next_offset - event.offset
    if (wanted <= 0) break
  }
}
