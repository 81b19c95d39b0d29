import { OUTPUT_CLOSED } from '../print/index.ts'
import { visible } from '../../shared/schema/index.ts'
import {
  type Offsets,
  type OutputEvent,
  PhoneError,
  type Run,
  type RunEvent,
  type RunOptions,
  type RunRecord,
} from '../../sdk/index.ts'
import { asClientError, type Client, connect, type ServiceLocation } from './connect-service.ts'
import { endBySignal } from './end-by-signal.ts'
import { codeOfSignal, exitCodeOf, exitCodes, signalOf } from './exit-code.ts'
import { connectionRemarks, remarks } from './remarks.ts'
import { denialText, sessionWait, waitText } from './wait-text.ts'
import { type Interrupts, onInterrupts } from './interrupts.ts'
import { resumeCommand } from './resume-command.ts'
import { noteRuns } from './seen-runs.ts'
import { secondsIn } from './seconds-in.ts'
import { spanText } from './span-text.ts'
import { inTerminal } from './shell.ts'
import { OutputError, sendStdin, hasStdin, writeOut, writeOutput } from './own-streams.ts'

type Options = ReadonlyMap<string, string>
type PrintLine = (line: string) => void

/** The service cancels the run after this time without a connection. */
const LEASE_SECONDS = 30
/** Time to reconnect; longer than the lease, so that the client usually still learns how the run ended. */
const RECONNECT_SECONDS = 60

/**
 * `shellphone run 'CMD'`: works like ssh. It passes stdout and stderr through separately, byte for byte, forwards stdin, and resolves with the
 * command's exit code. It resumes after a dropped connection. For an error of its own, it prints one line on stderr and resolves with 255.
 */
export async function run(
  place: () => Promise<ServiceLocation>,
  operands: string[],
  options: Options,
): Promise<number> {
  const print: PrintLine = options.has('quiet') ? () => {} : (line) => console.error(`shellphone: ${visible(line)}`)
  try {
    return await runAt(await place(), operands.join(' '), options, print)
  } catch (error) {
    if (!('exitCode' in (error as Error))) throw error
    console.error(`shellphone: ${visible((error as Error).message)}`)
    return exitCodes.ownError
  }
}

/** Rejects with ClientError. */
async function runAt(at: ServiceLocation, command: string, options: Options, print: PrintLine): Promise<number> {
  const limits = runOptionsIn(options)
  if (options.has('terminal')) return inTerminal(at, command, options, limits)
  const isLeft = options.has('detach')
  const isFed = !isLeft && !options.has('no-stdin') && hasStdin()
  const more: RunOptions = {
    ...(isLeft ? { background: true } : { lease_seconds: LEASE_SECONDS }),
    ...(isFed && { stdin: 'open' }),
  }
  const client = connect(at, { reconnectMs: RECONNECT_SECONDS * 1000 })
  try {
    const started = await client.phone.run(command, { ...limits, ...more })
    noteRuns(at.seenRuns, [{ id: started.id, command }])
    const reported = await reportStart(started.id, client, print, options)
    if (isLeft) return await detach(started, client, print, options)
    if (isFed) void sendStdin(started)
    return await follow(started, client, { print, options, reported })
  } catch (error) {
    throw asClientError(error, client)
  }
}

function runOptionsIn(options: Options): RunOptions {
  const timeout = options.get('timeout')
  const directory = options.get('directory')
  const session = options.get('session')
  return {
    ...(timeout === undefined ? {} : { timeout_seconds: secondsIn(timeout) }),
    ...(directory === undefined ? {} : { working_directory: directory }),
    ...(session === undefined ? {} : { session }),
  }
}

/**
 * Says before the output that the command waits for its session, or that the service lowered the timeout. Resolves with the notes about this,
 * which can be in the result too.
 */
async function reportStart(id: string, { request }: Client, print: PrintLine, options: Options): Promise<string[]> {
  const timeout = options.get('timeout')
  if (timeout === undefined && !options.has('session')) return []
  const record = await request<RunRecord>('GET', `/runs/${id}`).catch(() => null) // the result has the notes anyway
  if (record === null) return []
  const wait = sessionWait(record)
  if (wait !== undefined) print(wait)
  const reported = record.notes.filter(({ code }) => code === 'LOWERED' || code === 'WAITS_FOR_SESSION')
  if (reported.some(({ code }) => code === 'LOWERED')) {
    const most = spanText(record.timeout_seconds * 1000)
    print(
      `--timeout: ${timeout} is above the maximum of this service (max_background_seconds); stopping it after ${most}`,
    )
  }
  return reported.map(({ text }) => text)
}

/** Leaves the run running and prints its id, and on stderr whether it waits for a person or was denied. Resolves with the exit code. */
async function detach({ id, leave }: Run, client: Client, print: PrintLine, options: Options): Promise<number> {
  leave()
  if (!options.has('no-stdin') && hasStdin())
    print('stdin is not sent with -d; leave out -d to send it, or add -n to send none without this message')
  console.log(options.has('json') ? JSON.stringify({ id }) : id)
  const record = await client.request<RunRecord>('GET', `/runs/${id}`).catch(() => null) // the run has started anyway
  if (record?.pending_approval) print(waitText(record.pending_approval, client))
  if (record?.decision.verdict !== 'deny') return 0
  print(denialText(record))
  return exitCodes.denied
}

const runWithoutConnection = `for ${RECONNECT_SECONDS} s; the service cancels the run after ${LEASE_SECONDS} s without a connection`

/** What `follow` prints, and how. `reported`: notes that were already reported. */
interface Report {
  print: PrintLine
  options: Options
  reported: string[]
}

/** Prints the run's output on our own streams until it ends; resolves with the exit code. If a signal to this process ended the run, this process dies by it, too. */
async function follow(run: Run, client: Client, report: Report): Promise<number> {
  const { print, options } = report
  const events = run.events()
  const at: Offsets = { stdout: 0, stderr: 0 }
  const printer = options.has('json') ? jsonPrinter : plainPrinter(at)
  let isLeft = false
  const interrupts = onInterrupts(run, print, () => {
    isLeft = true
    run.leave()
  })
  try {
    const record = await passAll(events, client, report, { ...printer, ...interrupts })
    const canceledBy = interrupts.canceledBy()
    if (isLeft) print(`left running; see its output with ${resumeCommand(run.id, at, options)}`)
    if (record === null && !isLeft) return exitCodes.ownError
    const endedBy = interrupts.received(record ? signalOf(record, canceledBy) : (canceledBy ?? 'SIGINT'))
    if (endedBy !== undefined) endBySignal(endedBy)
    return record ? exitCodeOf(record, canceledBy) : codeOfSignal(canceledBy ?? 'SIGINT')
  } catch (error) {
    if (error instanceof PhoneError && error.type === 'unreachable')
      print(`when the service responds again, see how the run ended with ${resumeCommand(run.id, at, options)}`)
    if (!(error instanceof OutputError)) throw error
    await run.cancel()
    return error.isClosed ? OUTPUT_CLOSED : exitCodes.ownError
  } finally {
    interrupts.stop()
    run.leave()
    process.stdin.destroy()
  }
}

/** Resolves with the record of the run; null: this client left the run, or lost it. */
async function passAll(
  events: AsyncGenerator<RunEvent, void>,
  client: Client,
  { print, reported }: Report,
  { output, result, isRunning }: Printer & Interrupts,
): Promise<RunRecord | null> {
  for await (const event of events) {
    if (event.type === 'output') await output(event)
    if (event.type === 'status' && event.status === 'running') isRunning()
    if (event.type === 'disconnected') print(`${connectionRemarks.disconnected} ${runWithoutConnection}`)
    if (event.type === 'connected') print(connectionRemarks.connected)
    if (event.type === 'note') print(waitText(event.approval, client))
    if (event.type !== 'result') continue
    for (const line of remarks(event)) if (!reported.includes(line)) print(line)
    await result(event)
    return event
  }
  return null
}

/** Where the output and the result go. */
interface Printer {
  output(event: OutputEvent): Promise<void>
  result(record: RunRecord): Promise<void>
}

/** `at`: where to continue, for the messages about an interrupted run. */
const plainPrinter = (at: Offsets): Printer => ({
  output: async (event) => {
    await writeOutput(event)
    at[event.stream] = event.next_offset
  },
  result: async () => {},
})

/** The result contains the output, as far as max_length allows. */
const jsonPrinter: Printer = {
  output: async () => {},
  result: ({ ...record }) => writeOut('stdout', Buffer.from(`${JSON.stringify(record)}\n`)),
}
