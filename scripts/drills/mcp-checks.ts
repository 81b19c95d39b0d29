import { execFile } from 'node:child_process'

let failed = 0

/** Prints one line of the drill: what was tried, and the output if it is not as expected. */
export function check(what: string, output: string, expected: RegExp): void {
  const isGood = expected.test(output)
  if (!isGood) failed++
  console.log(`${isGood ? 'ok    ' : 'FAILED'} ${what}${isGood ? '' : `: ${output.slice(-700)}`}`)
}

/** The number of failed checks. */
export const failures = (): number => failed

/** The output of a program, whatever its exit code. `signal` interrupts it with SIGINT, like Ctrl-C. */
export function outputOf(argv: string[], env: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<string> {
  const [program, ...args] = argv
  return new Promise((resolve) => {
    const options = { env, timeout: 240_000, signal, killSignal: 'SIGINT' as const }
    const child = execFile(program!, args, options, (_error, stdout, stderr) => resolve(stdout + stderr))
    child.stdin?.end()
  })
}
