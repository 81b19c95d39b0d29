import { join } from 'node:path'
import type { SetupWorld } from './setup-world.ts'

const LINGER_LINE = '# setup let this user’s services run without a login (loginctl enable-linger)'

/** Whether setup enabled lingering, so that undo disables it. */
export const hasLingerLine = (unit: string) => unit.includes(LINGER_LINE)

/** Quotes a value. Inside quotes, systemd interprets \, " and %, and in commands also $. */
const quoted = (text: string) => `"${text.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%')}"`
const quotedArgument = (text: string) => quoted(text).replaceAll('$', '$$$$')

/** The text of the unit. systemd restarts the service 3 s after a crash, and kills everything that the service started when it stops. */
export function unitText(
  { node, tree }: Pick<SetupWorld, 'node' | 'tree'>,
  settings: Record<string, string>,
  lingers: boolean,
): string {
  const environment = Object.entries(settings).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`)
  return [
    '# Written by shellphone setup; shellphone setup --undo removes it.',
    ...(lingers ? [LINGER_LINE] : []),
    '[Unit]',
    'Description=Shellphone: runs shell commands for agents',
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    ...environment,
    `ExecStart=${quotedArgument(node)} ${quotedArgument(join(tree, 'dist/main.js'))} serve`,
    'Restart=on-failure',
    'RestartSec=3',
    'KillMode=mixed',
    'TimeoutStopSec=75',
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ].join('\n')
}

/** The SHELLPHONE_* environment in a unit that setup wrote. */
export function settingsOfUnit(unit: string): Record<string, string> {
  const lines = [...unit.matchAll(/^Environment="(SHELLPHONE_[A-Z_]+)=(.*)"$/gm)]
  const read = (text: string) => text.replaceAll('%%', '%').replace(/\\([\\"])/g, '$1')
  return Object.fromEntries(lines.map(([, name, value]) => [name!, read(value!)]))
}
