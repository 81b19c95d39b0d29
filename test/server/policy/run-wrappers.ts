/** Executes the calls of wrapper-calls.ts, and reports which of them ran a program that the parser did not find. */
import { rmSync } from 'node:fs'
import type { Script } from '../../../src/server/policy/index.ts'
import { markers, type RandomRun } from './random-script.ts'
import { parseRun, prepareFolder, runAll, shells, unseenIn } from './run-shells.ts'
import { allWrappers, callsOf, type Wrapper, wordMarkers } from './wrapper-calls.ts'

/** The results of one program's calls in one shell. */
interface WrapperResult {
  wrapper: Wrapper
  shell: string
  calls: number
  inDoubt: number // calls that the parser considers opaque: these are not executed
  ran: number // calls that ran a marker
  unseen: readonly string[] // what ran without being found by the parser, and in which call
}

// programs that the calls use, and that scripts among the programs call
const helpers = 'sleep echo printf cat sort script env tar git zip sed awk make nice node getopt id grep'.split(' ')

/** Every `every`th call of each installed program, or of those in `only`; builtins in every shell, programs in bash. */
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
        for (const one of unseenIn(log, parsed))
          result.unseen.push(`${one} ran without being found, in ${JSON.stringify(script)}`)
      })
      yield result
    }
    rmSync(root, { recursive: true, force: true })
  }
}

/** The programs that run others but are not on this machine. */
export const missingWrappers = (): Wrapper[] => allWrappers().filter(({ argv }) => argv === null)
