/** The contract of agent-world: one program and its arguments, no shell syntax, no inline code. */
import { type Rule, rulesOf } from './rule.ts'
import { runsOthers } from './runs-others.ts'

const common = { guard: 'single-command', verdict: 'deny', risk: 'medium' } as const

export const singleRules: readonly Rule[] = rulesOf(common, {
  'control-syntax': {
    reason:
      'One program and its arguments: no &&, ||, ;, pipes, redirections, substitution, background or line breaks.',
    syntax: ['control', 'function', 'here-document', 'command-substitution'],
  },
  'one-program': {
    reason: 'One program and its arguments: nothing before its name, and nothing that starts a second one.',
    syntax: ['assignment'],
    on: {
      sources: true,
      evaluates: true,
      runs: (effect) => (effect.what === 'words' || effect.what === 'code') && !effect.transparent,
    },
  },
  'inline-code': {
    reason: 'Inline code (sh -c, node -e, python -c …) is refused: write it to a file first.',
    on: {
      runs: (effect) =>
        effect.what === 'input' ||
        (effect.what === 'code' && effect.shell === true) ||
        (effect.what === 'source' && (!effect.data || effect.hidden === true)),
    },
  },
  'runs-others': {
    reason: 'One program and its arguments: these arguments make it start a second one.',
    command: runsOthers,
  },
  'code-variable': {
    reason: 'One program and its arguments: this variable makes it start another.',
    on: { steers: true },
  },
  opaque: {
    reason: 'What this would run cannot be determined. Write the program and its arguments in full.',
    doubts: 'all',
  },
})
