/** The part `wrappers` of drill-policy.ts: compares the programs that wrapper programs run with those that the parser finds. */
import { missingWrappers, runWrappers } from '../../test/server/policy/run-wrappers.ts'

const list = (names: readonly string[]) => `${names.length}${names.length > 0 ? `: ${names.join(' ')}` : ''}`

/** Executes every `every`th call of each program, or of those in `only`. Returns the number of calls that ran a program that the parser did not find. */
export async function drillWrappers(print: (line: string) => void, every: number, only?: string): Promise<number> {
  const totals = { calls: 0, inDoubt: 0, ran: 0, unseen: 0 }
  const silent: string[] = []
  for await (const { wrapper, shell, calls, inDoubt, ran, unseen } of runWrappers(every, only)) {
    const name = wrapper.argv!.length > 0 ? wrapper.name : `${wrapper.name} of ${shell}`
    for (const line of unseen) print(`  UNSEEN: ${name}: ${line}`)
    print(`wrappers: ${name}: ${calls} calls, ${inDoubt} in doubt, ${ran} ran a program, ${unseen.length} unseen`)
    totals.calls += calls
    totals.inDoubt += inDoubt
    totals.ran += ran
    totals.unseen += unseen.length
    if (ran === 0 && inDoubt < calls) silent.push(name)
  }
  const { calls, inDoubt, ran, unseen } = totals
  print(`wrappers: ${calls} calls, ${inDoubt} in doubt, ${ran} ran a program, ${unseen} unseen`)
  print(`wrappers: ran nothing in any call: ${list(silent)}`)
  if (!only) print(`wrappers: not on this machine: ${list(missingWrappers().map(({ name }) => name))}`)
  return unseen
}
