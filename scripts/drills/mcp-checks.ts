import { execFile } from 'node:child_process'

let failed = 0

/** Prints one line of the drill: the name of the check, and the output if it differs from what was expected. */
export function check(what: string, output: string, expected: RegExp): void {
  const isGood = expected.test(output)
  if (!isGood) failed++
  console.log(`${isGood ? 'ok    ' : 'FAILED'} ${what}${isGood ? '' : `: ${output.slice(-700)}`}`)
}

/** The number of failed checks. */
export const failures = (): number => failed

/** Resolves with the output of a program, whatever its exit code. `signal`: aborted to interrupt the program with SIGINT, as Ctrl-C does. */
export function outputOf(argv: string[], env: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<string> {
  const [program, ...args] = argv
  return new Promise((resolve) => {
    const options = { env, timeout: 240_000, signal, killSignal: 'SIGINT' as const }
    const child = execFile(program!, args, options, (_error, stdout, stderr) => resolve(stdout + stderr))
    child.stdin?.end()
  })
}
