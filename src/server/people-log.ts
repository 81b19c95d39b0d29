import type { LogEvent } from '../shared/schema/index.ts'

type LogEntry = Record<string, unknown> & { level: number; time: string; msg: string; event?: LogEvent }

/** Levels of pino that a person should see as such. */
const words: Record<number, string> = { 40: 'warning: ', 50: 'error: ', 60: 'fatal: ' }

/** A line of the log as a person reads it on a terminal. */
export function toPeople(json: string): string {
  const line = JSON.parse(json) as LogEntry
  if (line.event === 'LISTENING') return greeting(line)
  const { level, time, msg, event: _, ...facts } = line
  const rest = Object.entries(facts).filter(([, value]) => value !== null && value !== 0)
  const told = rest.map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`)
  return `${time.slice(11, 19)} ${words[level] ?? ''}${[msg, ...told].join(', ')}\n`
}

const greeting = ({ address, version, home, sandbox, spawner, why }: LogEntry): string =>
  [
    `Shellphone ${version} listens at ${address}`,
    `  home       ${home}`,
    `  token      shellphone token create NAME`,
    `  try        shellphone run 'uname -a'`,
    `  spawner    ${spawner} (${why})`,
    `  sandboxes  ${(sandbox as string[]).join(', ')}`,
    '',
  ].join('\n')
