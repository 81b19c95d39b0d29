import { isUtf8 } from 'node:buffer'
import { visible } from '../../shared/schema/index.ts'
import type { GapEvent, Phone, Run, RunEvent, RunRecord } from '../../sdk/index.ts'
import { asClientError, connect, type ServiceLocation } from './connect-service.ts'
import { exitCodeOf, exitCodes } from './exit-code.ts'
import { connectionRemarks, remarks } from './remarks.ts'
import { runIdsFor } from './short-ids.ts'
import { BrokenPipe, writeOutput, writeOut } from './own-streams.ts'

type Options = ReadonlyMap<string, string>

/**
 * `shellphone logs ID|--last [-f]`: prints the output so far, stdout to stdout and stderr to stderr. With -f, continues until the run ends, and resolves
 * with its exit code. With --json, prints each event as one line. A line on stderr reports output that is not stored. Throws ClientError.
 */
export async function logs(place: ServiceLocation, operands: string[], options: Options): Promise<number> {
  const client = connect(place)
  try {
    const [id = ''] = await runIdsFor('logs', client, operands, options)
    return await pour(client.phone, id, options.has('follow'), options.has('json') ? print : passOutput)
  } catch (error) {
    if (error instanceof BrokenPipe) return exitCodes.brokenPipe
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

async function pour(phone: Phone, id: string, toTheEnd: boolean, show: Show): Promise<number> {
  const run = await phone.attach(id, { observe: true, gaps: 'report' })
  try {
    if (toTheEnd) return await toItsEnd(run, show)
    const record = await phone.record(id)
    await soFar(run, record, show)
    for (const { code, text } of record.notes) if (code === 'OUTPUT_NOT_KEPT') remark(text)
    return 0
  } finally {
    run.leave()
  }
}

/** Prints a message of Shellphone itself. */
const remark = (line: string) => console.error(`shellphone: ${visible(line)}`)

async function toItsEnd(run: Run, show: Show): Promise<number> {
  for await (const event of run.events()) {
    if (event.type === 'disconnected' || event.type === 'connected') remark(connectionRemarks[event.type])
    else await show(event)
    if (event.type === 'result') {
      for (const line of remarks(event)) remark(line)
      return exitCodeOf(event)
    }
  }
  return exitCodes.ownError
}

/** Prints the output that existed when the client read the record. */
async function soFar(run: Run, { stdout_bytes, stderr_bytes }: RunRecord, show: Show): Promise<void> {
  let wanted = stdout_bytes + stderr_bytes
  if (wanted === 0) return
  for await (const event of run.events()) {
    if (event.type !== 'output' && event.type !== 'gap') continue
    await show(event)
    wanted -= event.next_offset - event.offset
    if (wanted <= 0) break
  }
}
