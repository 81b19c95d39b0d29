/** Runs the calls of wrapper-calls.ts for real, and tells which of them ran a program that the parser did not see. */
import { rmSync } from 'node:fs'
import type { Script } from '../../../src/server/policy/index.ts'
import { markers, type RandomRun } from './random-script.ts'
import { parseRun, prepareFolder, runAll, shells, unseenIn } from './run-shells.ts'
import { allWrappers, callsOf, type Wrapper, wordMarkers } from './wrapper-calls.ts'

/** What the calls of one program have shown in one shell. */
interface WrapperResult {
  wrapper: Wrapper
  shell: string
  calls: number
  inDoubt: number // the parser says that it does not know what they run: these are not run
  ran: number // a program that they run was noted
  unseen: readonly string[] // what ran without being seen, and in which call
}

// what the calls begin with, and what scripts among the programs call
const helpers = 'sleep echo printf cat sort script env tar git zip sed awk make nice node getopt id grep'.split(' ')

/** Every `every`th call of each program that there is here, or of those in `only`; builtins in every shell, programs in bash. */
export async function* runWrappers(every: number, only?: string): AsyncGenerator<WrapperResult> {
  const all = allWrappers().filter(({ name, argv }) => argv && (!only || only.split(',').includes(name)))
  const programs = all.filter(({ argv }) => argv!.length > 0).map(({ name }) => name.split(' ')[0]!)
  const real = new Set([...programs, ...helpers])
  for (const [shell, argv] of Object.entries(shells)) {
    const root = prepareFolder(argv, real, [...markers, ...wordMarkers])
    for (const wrapper of all.filter((one) => shell === 'bash' || one.argv!.length === 0)) {
      const calls = callsOf(wrapper).filter((_, index) => index % every === 0)
      const result = { wrapper, shell, calls: calls.length, inDoubt: 0, ran: 0, unseen: [] as string[] }
      const clear = calls.flatMap((run): (RandomRun & { parsed: Script })[] => {
        const parsed = parseRun(run, shell)
        return parsed.opaque.length > 0 ? [] : [{ ...run, parsed }]
      })
      result.inDoubt = calls.length - clear.length
      await runAll({ root, shell: argv, asRoot: wrapper.asRoot }, clear, ({ script, parsed }, log) => {
        if (!log || log.names.size === 0) return
        result.ran += 1
        for (const one of unseenIn(log, parsed)) result.unseen.push(`${one} ran unseen in ${JSON.stringify(script)}`)
      })
      yield result
    }
    rmSync(root, { recursive: true, force: true })
  }
}

/** What of the rows that run others is not on this machine, by name. */
export const missingWrappers = (): Wrapper[] => allWrappers().filter(({ argv }) => argv === null)
