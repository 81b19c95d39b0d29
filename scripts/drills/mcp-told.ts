import { execFile } from 'node:child_process'

let failed = 0

/** One line of the drill: what was tried, and where it was not as expected, what was said instead. */
export function told(what: string, said: string, expected: RegExp): void {
  const isGood = expected.test(said)
  if (!isGood) failed++
  console.log(`${isGood ? 'ok    ' : 'FAILED'} ${what}${isGood ? '' : `: ${said.slice(-700)}`}`)
}

/** How many lines were not as expected. */
export const failures = (): number => failed

/** All that a program says, whatever it ends with. `signal` ends it with SIGINT, as Ctrl-C does. */
export function say(argv: string[], env: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<string> {
  const [program, ...args] = argv
  return new Promise((resolve) => {
    const options = { env, timeout: 240_000, signal, killSignal: 'SIGINT' as const }
    const child = execFile(program!, args, options, (_error, stdout, stderr) => resolve(stdout + stderr))
    child.stdin?.end()
  })
}
