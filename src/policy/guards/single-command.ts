/** agent-world's contract: one program and its arguments, no shell syntax, no inline code. */
import type { Rule } from './rule.ts'
import { runsOthers } from './runs-others.ts'

const base = { guard: 'single-command', verdict: 'deny', risk: 'medium' } as const
const control = [
  'and-or',
  'pipe',
  'sequence',
  'background',
  'negation',
  'compound',
  'function',
  'subshell',
  'redirection',
  'here-document',
  'command-substitution',
] as const

export const singleRules: readonly Rule[] = [
  {
    ...base,
    name: 'control-syntax',
    reason:
      'One program and its arguments: no &&, ||, ;, pipes, redirections, substitution, background or line breaks.',
    match: ['ls && id', 'ls | cat', 'ls > x', 'echo $(id)'],
    notMatch: ["grep 'a|b' x", 'echo $HOME'],
    script: ({ script }) => control.some((syntax) => script.syntax.has(syntax)),
  },
  {
    ...base,
    name: 'one-program',
    reason: 'One program and its arguments: nothing before its name, and nothing that starts a second one.',
    match: ['A=b ls', 'find . -exec rm {} +', 'sudo ls', 'busybox sh x', '. x', "trap 'id' EXIT"],
    notMatch: ['env A=b ls', 'nice -n 5 ls', 'npm test -- tests/core/events/'],
    script: ({ script }) => script.syntax.has('assignment'),
    effect: (effect) =>
      effect.does === 'sources' ||
      effect.does === 'evaluates' ||
      (effect.does === 'runs' && (effect.what === 'words' || effect.what === 'code') && !effect.transparent),
  },
  {
    ...base,
    name: 'inline-code',
    reason: 'Inline code (sh -c, node -e, python -c …) is refused: write it to a file first.',
    match: ["sh -c 'ls'", 'python3 -c1', 'awk \'BEGIN{system("id")}\'', 'sh'],
    notMatch: ['python3 x.py', 'node x.js -e', "awk '{print $1}' f"],
    effect: (effect) =>
      effect.does === 'runs' &&
      (effect.what === 'input' ||
        (effect.what === 'code' && effect.shell === true) ||
        (effect.what === 'source' && (!effect.data || effect.hidden === true))),
  },
  {
    ...base,
    name: 'runs-others',
    reason: 'One program and its arguments: these arguments make it start a second one.',
    match: ['git -c core.pager=id log', 'foo --exec id', 'foo /bin/sh'],
    notMatch: ['git log --oneline', 'npm run build', 'tar tf x.tar'],
    command: runsOthers,
  },
  {
    ...base,
    name: 'code-variable',
    reason: 'One program and its arguments: this variable makes it start another.',
    match: ['env GIT_PAGER=id git log', 'env LD_PRELOAD=x ls'],
    notMatch: ['env FOO=1 ls'],
    effect: ({ does }) => does === 'steers',
  },
  {
    ...base,
    name: 'opaque',
    reason: 'It cannot be known what this would run. Write the program and its arguments plainly.',
    match: ['$X y', 'r* x'],
    notMatch: ['ls *.txt', 'echo $HOME'],
    script: ({ script }) => script.opaque.length > 0,
  },
]
