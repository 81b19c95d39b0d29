/** The rules of agent-world: one program with its arguments, no shell syntax, no inline code. */
import { type Rule, rulesOf } from './rule.ts'
import { runsOthers } from './runs-others.ts'

const common = { guard: 'single-command', verdict: 'deny', risk: 'medium' } as const

export const singleRules: readonly Rule[] = rulesOf(common, {
  'control-syntax': {
    reason:
      'Only one program with its arguments may run: no &&, ||, ;, pipes, redirections, substitutions, background jobs or line breaks.',
    syntax: ['control', 'function', 'here-document', 'command-substitution'],
  },
  'one-program': {
    reason:
      'Only one program with its arguments may run: nothing before its name, and nothing that starts another program.',
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
    reason: 'Only one program may run: these arguments make it start another.',
    command: runsOthers,
  },
  'code-variable': {
    reason: 'Only one program may run: this variable makes it start another.',
    on: { steers: true },
  },
  opaque: {
    reason: 'It is unclear what this would run. Write the program and its arguments in full.',
    doubts: 'all',
  },
})
