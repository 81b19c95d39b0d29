import { visible } from '../schema/index.ts'
import { type Phone, PhoneError, type Run, type RunRecord } from '../sdk/index.ts'
import { ClientError, phoneAt, type Place } from './connect.ts'
import { exitCodeOf, exitCodes } from './exit-code.ts'
import { BrokenPipe, pass } from './streams.ts'

type Options = ReadonlyMap<string, string>

/**
 * `shellphone logs ID [-f]`: its output so far, each stream to our own; with -f to its end, and the exit code is the run's then.
 * Throws ClientError.
 */
export async function logs(place: Place, operands: string[], options: Options): Promise<number> {
  const [id, ...more] = operands
  if (id === undefined || more.length > 0) throw new ClientError('logs: expected one id; shellphone history tells them')
  try {
    return await pour(phoneAt(place), id, options.has('follow'))
  } catch (error) {
    if (error instanceof BrokenPipe) return exitCodes.brokenPipe
    throw error instanceof PhoneError ? new ClientError(visible(error.message)) : error
  }
}

async function pour(phone: Phone, id: string, toTheEnd: boolean): Promise<number> {
  const run = await phone.attach(id)
  try {
    return toTheEnd ? await toItsEnd(run) : await soFar(run, await phone.record(id))
  } finally {
    run.leave()
  }
}

async function toItsEnd(run: Run): Promise<number> {
  for await (const event of run.events()) {
    if (event.type === 'output') await pass(event)
    if (event.type === 'result') return exitCodeOf(event)
  }
  return exitCodes.ownTrouble
}

/** As much as there was when it was asked for. */
async function soFar(run: Run, { stdout_bytes, stderr_bytes }: RunRecord): Promise<number> {
  let wanted = stdout_bytes + stderr_bytes
  if (wanted === 0) return 0
  for await (const event of run.output()) {
    await pass(event)
    wanted -= event.bytes.length
    if (wanted <= 0) break
  }
  return 0
}
