import { UsageError, visible } from '../../shared/schema/index.ts'
import { type OutputEvent, type Phone, type Run, type RunOptions, type RunRecord } from '../../sdk/index.ts'
import { type Client, ClientError, connect, asClientError, type ServiceLocation } from './connect-service.ts'
import { exitCodeOf } from './exit-code.ts'
import { connectionRemarks, remarks } from './remarks.ts'
import { noteRuns } from './seen-runs.ts'
import { liveRunIdFor } from './short-ids.ts'
import { onOption } from './on-option.ts'
import { createReplayFilter } from './replay-filter.ts'
import { writeOut } from './own-streams.ts'
import { isTerminal, connectTerminal, sizeOf } from './own-terminal.ts'

type Options = ReadonlyMap<string, string>

const REPLAYED_BYTES = 1_048_576

/**
 * `shellphone shell`: opens a terminal; with `--attach ID`, returns to a detached one. Resolves with the shell's exit code. Resumes after dropped
 * connections. Closing our terminal, or typing ~. at the beginning of a line, leaves it running. Rejects with ClientError.
 */
export const shell = (place: ServiceLocation, options: Options): Promise<number> => inTerminal(place, null, options)

/** Runs a command (null: the owner's login shell) in its own terminal, with these options of a run. Resolves with its exit code; rejects with ClientError, or UsageError without a terminal here. */
export async function inTerminal(
  place: ServiceLocation,
  command: string | null,
  options: Options,
  limits: RunOptions = {},
): Promise<number> {
  if (!isTerminal())
    throw new UsageError("stdin and stdout must both be terminals; without one, use shellphone run 'COMMAND'")
  const left = options.get('attach')
  const client = connect(place)
  try {
    const { run, replayed } = left === undefined ? await open(client.phone, command, limits) : await find(client, left)
    if (left === undefined) noteRuns(place.seenRuns, [{ id: run.id, command: command ?? 'shell' }])
    return await converse(run, place, onOption(options), writerOf(replayed))
  } catch (error) {
    throw asClientError(error, client, left === undefined ? '' : '/runs/')
  }
}

/** A run, and the number of bytes of output from before this client attached to it. */
interface AttachedRun {
  run: Run
  replayed: number
}

async function open(phone: Phone, command: string | null, limits: RunOptions): Promise<AttachedRun> {
  const wanted = command ?? (await loginShell(phone))
  return {
    run: await phone.run(wanted, { ...limits, tty: sizeOf(), background: true, when_full: 'wait' }),
    replayed: 0,
  }
}

/** The command that starts the login shell. It contains the shell's path, because the guards cannot resolve a variable. */
async function loginShell(phone: Phone): Promise<string> {
  const { terminal } = await phone.health()
  return `exec ${terminal?.shell ?? 'sh'} -l`
}

/** Attaches to a run and replays its output if it is at most 1 MiB. */
async function find(client: Client, text: string): Promise<AttachedRun> {
  const { phone } = client
  const id = await liveRunIdFor(client, text)
  const { stdout_bytes, tty } = await phone.record(id)
  if (!tty) throw new ClientError(`run ${id} has no terminal; follow it with shellphone logs ${id} -f`)
  const run = await phone.attach(id, { stdout: stdout_bytes > REPLAYED_BYTES ? stdout_bytes : 0, gaps: 'report' })
  return { run, replayed: stdout_bytes }
}

/** Returns a function that writes output to our terminal. Before the offset `replayed`, it removes queries, which the terminal has answered before. */
function writerOf(replayed: number): (event: OutputEvent) => Promise<void> {
  const { pass, rest } = createReplayFilter()
  return async ({ stream, offset, bytes }) => {
    const old = Math.max(0, Math.min(bytes.length, replayed - offset))
    const isLast = old > 0 && offset + old >= replayed
    if (old > 0) await writeOut(stream, pass(bytes.subarray(0, old)))
    if (isLast) await writeOut(stream, rest())
    if (old < bytes.length) await writeOut(stream, bytes.subarray(old))
  }
}

/** Connects our terminal to the run until the terminal closes or the run ends. `on`: the option that names the phone. */
async function converse(
  run: Run,
  place: ServiceLocation,
  on: string,
  write: (event: OutputEvent) => Promise<void>,
): Promise<number> {
  let giveBack = () => {}
  let decided = new AbortController()
  let isWithdrawn: Promise<boolean> = Promise.resolve(false)
  const hangUp = () => run.leave()
  process.on('SIGHUP', hangUp)
  try {
    for await (const event of run.events()) {
      if (event.type === 'output') await write(event)
      if (event.type === 'disconnected' || event.type === 'connected') {
        console.error(`\r\nshellphone: ${connectionRemarks[event.type]}`)
      }
      if (event.type === 'note') isWithdrawn = approve(event, run, place, (decided = new AbortController()).signal)
      if (event.type === 'status' || event.type === 'result') {
        decided.abort() // by the answer to our question, or elsewhere
        await isWithdrawn
      }
      if (event.type === 'status' && event.status === 'running') giveBack = connectTerminal(run)
      if (event.type === 'result') return explained(event, (await isWithdrawn) ? 'SIGINT' : 'SIGTERM')
    }
    console.error(`\r\nshellphone: left running; return with shellphone shell --attach ${run.id}${on}`)
    return 0
  } finally {
    giveBack()
    process.off('SIGHUP', hangUp)
  }
}

/** The exit code of a run that has ended. Messages explain an end that the command did not choose, such as a denial or the stop of the service. `canceledBy`: the signal that a canceled run stands for. */
function explained(record: RunRecord, canceledBy: NodeJS.Signals): number {
  const isOwnEnd = record.exit_code >= 0 || canceledBy === 'SIGINT'
  for (const text of isOwnEnd ? [] : remarks(record)) console.error(`shellphone: ${visible(text)}`)
  return exitCodeOf(record, canceledBy)
}

/**
 * Asks the person at this terminal to approve the run, until it is decided elsewhere. On Ctrl-C, cancels the run as `shellphone run` does, and
 * resolves with true. Never rejects: another person may still answer.
 */
async function approve(
  { approval }: { approval: { id: string } },
  run: Run,
  place: ServiceLocation,
  decided: AbortSignal,
): Promise<boolean> {
  console.error('shellphone: the service asks first, because it cannot judge what is typed in a terminal')
  const answer = await ask('Open a terminal? [y/N] ', decided)
  const isInterrupted = answer === null && !decided.aborted
  if (answer === null)
    console.error(`\r\nshellphone: ${isInterrupted ? 'not answered; canceling' : 'answered elsewhere'}`)
  try {
    if (isInterrupted) await run.cancel()
    if (answer !== null) await answerWith(answer, approval.id, place)
  } catch (error) {
    console.error(
      `shellphone: ${(error as Error).message}; waiting for another person: shellphone approvals approve ${approval.id}`,
    )
  }
  return isInterrupted
}

async function answerWith(answer: string, id: string, place: ServiceLocation): Promise<void> {
  const decision = /^y(es)?$/i.test(answer.trim()) ? 'approve' : 'deny'
  const { person, request } = connect(place)
  await request('POST', `/approvals/${id}`, { decision, scope: 'once', by: person })
}

const YES_OR_NO = /^(y(es)?|no?)?$/i

/** Resolves with yes, no or an empty line, and asks again after any other; null on Ctrl-C, at the end of input, and if it is decided elsewhere before. */
async function ask(question: string, decided: AbortSignal): Promise<string | null> {
  const { createInterface } = await import('node:readline/promises')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const closed = new AbortController()
  terminal.once('close', () => closed.abort())
  const signal = AbortSignal.any([closed.signal, decided])
  try {
    let answer = await terminal.question(question, { signal })
    while (!YES_OR_NO.test(answer.trim())) answer = await terminal.question(`Answer y or n. ${question}`, { signal })
    return answer
  } catch {
    return null // aborted without an answer
  } finally {
    terminal.close()
  }
}
