import { visible } from '../../shared/schema/index.ts'
import { PhoneError, type Run, type RunEvent, type RunOptions, type RunRecord } from '../../sdk/index.ts'
import { ClientError, phoneAt, type ServiceLocation } from './connect-service.ts'
import { codeOfSignal, exitCodeOf, exitCodes } from './exit-code.ts'
import { onInterrupts } from './interrupts.ts'
import { noteRuns } from './seen-runs.ts'
import { inTerminal } from './shell.ts'
import { BrokenPipe, feed, hasStdin, pass } from './own-streams.ts'

type Options = ReadonlyMap<string, string>
type Tell = (line: string) => void

/**
 * `shellphone run 'CMD'`, with ssh's habits: streams apart, byte for byte, stdin through, the command's exit code. Goes on after a lost
 * connection. Resolves with the exit code; what is our own trouble is 255 and one line on stderr.
 */
export async function run(
  place: () => Promise<ServiceLocation>,
  operands: string[],
  options: Options,
): Promise<number> {
  const tell: Tell = options.has('quiet') ? () => {} : (line) => console.error(`shellphone: ${visible(line)}`)
  try {
    const command = commandIn(operands)
    const wish = wishesIn(options)
    if (options.has('terminal')) return await inTerminal(await place(), command, options)
    const at = await place()
    const isLeft = options.has('detach')
    const isFed = !isLeft && !options.has('no-stdin') && hasStdin()
    const more: RunOptions = { ...(isLeft && { background: true }), ...(isFed && { stdin: 'open' }) }
    const started = await phoneAt(at).run(command, { ...wish, ...more })
    noteRuns(at.seenRuns, [started.id])
    if (isLeft) return detach(started, options)
    if (isFed) void feed(started)
    return await follow(started, tell)
  } catch (error) {
    if (!(error instanceof PhoneError || 'exitCode' in (error as Error))) throw error
    console.error(`shellphone: ${visible((error as Error).message)}`)
    return exitCodes.ownTrouble
  }
}

function commandIn(operands: string[]): string {
  if (operands.length > 0) return operands.join(' ')
  throw new ClientError("run: expected a command: shellphone run 'ls -la'")
}

function wishesIn(options: Options): RunOptions {
  const timeout = options.get('timeout')
  const directory = options.get('directory')
  if (timeout !== undefined && !(Number(timeout) > 0)) {
    throw new ClientError(`--timeout: expected seconds, more than 0, got ${timeout}`)
  }
  return {
    ...(timeout === undefined ? {} : { timeout_seconds: Number(timeout) }),
    ...(directory === undefined ? {} : { working_directory: directory }),
  }
}

/** It goes on without us. */
function detach({ id, leave }: Run, options: Options): number {
  leave()
  console.log(options.has('json') ? JSON.stringify({ id }) : id)
  return 0
}

/** What it says, on our own streams, to its end. */
async function follow(run: Run, tell: Tell): Promise<number> {
  const events = run.events()
  let isLeft = false
  const interrupts = onInterrupts(run, tell, () => {
    isLeft = true
    run.leave()
  })
  try {
    const code = await passAll(events, tell, interrupts.canceledBy)
    if (isLeft) tell(`left running; shellphone logs ${run.id} shows its output and how it ended`)
    return code ?? (isLeft ? codeOfSignal(interrupts.canceledBy() ?? 'SIGINT') : exitCodes.ownTrouble)
  } catch (error) {
    if (!(error instanceof BrokenPipe)) throw error
    await run.cancel()
    return exitCodes.brokenPipe
  } finally {
    interrupts.stop()
    run.leave()
    process.stdin.destroy()
  }
}

async function passAll(
  events: AsyncGenerator<RunEvent, void>,
  tell: Tell,
  canceledBy: () => NodeJS.Signals | undefined,
): Promise<number | null> {
  for await (const event of events) {
    if (event.type === 'output') await pass(event)
    if (event.type === 'note') tell(event.note.text)
    if (event.type !== 'result') continue
    for (const line of remarks(event)) tell(line)
    return exitCodeOf(event, canceledBy())
  }
  return null
}

/** What a person should know of how it ended, beside its exit code. */
function remarks({ status, decision, notes, timeout_seconds }: RunRecord): string[] {
  const why = {
    denied: [`denied: ${decision.reason ?? decision.rule ?? 'no reason given'}`],
    timed_out: [`timed out after ${timeout_seconds} s`],
  }[status as string]
  const told = notes.filter(({ code }) => code !== 'OUTPUT_NOT_KEPT') // what is not kept there has come here
  return [...(why ?? []), ...told.map(({ text }) => text)]
}
