import { clientSubcommands, fleetSubcommand, ownSubcommands } from '../../src/cli/index.ts'

/** Escapes text for roff: backslashes, hyphens, and control characters at the start of a line. */
const escaped = (text: string) =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('…', '...')
    .replaceAll('’', "'")
    .replace(/^(?=[.'])/gm, '\\&')

/** The manual page shellphone(1), from the rows of the command line. */
export function manPage(version: string, epochSeconds: number): string {
  const subcommands = { ...clientSubcommands, fleet: fleetSubcommand, ...ownSubcommands(() => ({})) }
  const day = new Date(epochSeconds * 1000).toISOString().slice(0, 10)
  const commands = Object.entries(subcommands).flatMap(
    ([name, { operands = '', meaning, options = {}, examples = [], exitCodes }]) => [
      '.TP',
      `.B ${escaped(`${name} ${operands}`.trim())}`,
      `${escaped(meaning)}.`,
      ...Object.entries(options).flatMap(([option, { meaning: text, value = '', short }]) => [
        '.RS',
        '.TP',
        `.B ${escaped(`${short ? `-${short}, ` : ''}--${option} ${value}`.trim())}`,
        `${escaped(text)}.`,
        '.RE',
      ]),
      ...(examples.length > 0 ? ['.IP', `Example: ${escaped(examples[0]!)}`] : []),
      ...(exitCodes ? ['.IP', `Exit codes: ${escaped(exitCodes)}.`] : []),
    ],
  )
  return [
    `.TH SHELLPHONE 1 ${day} "shellphone ${version}" "User Commands"`,
    '.SH NAME',
    'shellphone \\- run shell commands on this machine for agents elsewhere on the network',
    '.SH SYNOPSIS',
    '.B shellphone',
    '.RI [ SUBCOMMAND ]',
    '.RI [ OPTION " ...]"',
    '.RI [ OPERAND " ...]"',
    '.SH DESCRIPTION',
    'The service gives each command a deadline and an output limit, kills its whole process tree, and stores its output.',
    'It refuses dangerous commands, or holds them until a person approves them.',
    'Without a subcommand,',
    '.B shellphone',
    'runs',
    '.BR serve .',
    '.SH SUBCOMMANDS',
    ...commands,
    '.SH ENVIRONMENT',
    '.TP',
    '.B SHELLPHONE_HOME',
    'The private directory with config.yaml, tokens, history and outputs (default: ~/.shellphone).',
    '.TP',
    '.B SHELLPHONE_TOKEN',
    'The token that clients send, instead of a proof of the owner.',
    '.PP',
    'Each setting has a variable SHELLPHONE_NAME; list them with',
    '.BR "shellphone help settings" .',
    '.SH FILES',
    '.TP',
    '.I ~/.shellphone/config.yaml',
    'The settings.',
    '',
  ]
    .filter((line, index, lines) => line !== '' || index === lines.length - 1)
    .join('\n')
}
