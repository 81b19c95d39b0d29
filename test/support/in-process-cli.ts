import { runCommandLine } from '../../src/cli/index.ts'

/**
 * Runs `shellphone …` in this process with additional environment variables; resolves with its exit code, stdout and stderr. For
 * subcommands that send requests and print the responses, and for errors; one at a time.
 */
export async function runInProcess(
  argv: string[],
  env: Record<string, string>,
): Promise<{ code: number; out: string; err: string }> {
  const before = { env: process.env, log: console.log, error: console.error }
  let out = ''
  let err = ''
  process.env = { ...process.env, ...env }
  console.log = (line: string) => void (out += `${line}\n`)
  console.error = (line: string) => void (err += `${line}\n`)
  try {
    const code = await runCommandLine(argv)
    return { code: code ?? 0, out, err }
  } catch (error) {
    const { exitCode, message } = error as Error & { exitCode?: number }
    if (exitCode === undefined) throw error
    return { code: exitCode, out, err: `${err}shellphone: ${message}\n` }
  } finally {
    process.env = before.env
    console.log = before.log
    console.error = before.error
  }
}
