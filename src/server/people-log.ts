import type { LogEvent } from '../shared/schema/index.ts'

type LogEntry = Record<string, unknown> & { level: number; time: string; msg: string; event?: LogEvent }

/** The prefixes of pino's levels in the log for people. */
const levelPrefixes: Record<number, string> = { 40: 'warning: ', 50: 'error: ', 60: 'fatal: ' }

/** Formats a log line for a person at a terminal. */
export function toPeople(json: string): string {
  const line = JSON.parse(json) as LogEntry
  if (line.event === 'LISTENING') return greeting(line)
  const { level, time, msg, event: _, ...facts } = line
  const rest = Object.entries(facts).filter(([, value]) => value !== null && value !== 0)
  const shown = rest.map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`)
  return `${time.slice(11, 19)} ${levelPrefixes[level] ?? ''}${[msg, ...shown].join(', ')}\n`
}

const greeting = ({ address, version, home, sandbox, spawner, why }: LogEntry): string =>
  [
    `Shellphone ${version} listens at ${address}`,
    `  home       ${home}`,
    `  token      shellphone token create NAME`,
    `  try        shellphone run 'uname -a' (in another terminal; shellphone help lists all commands)`,
    `  stop       Ctrl-C`,
    `  spawner    ${spawner} (${why})`,
    `  sandboxes  ${(sandbox as string[]).join(', ')}`,
    '',
  ].join('\n')
