/** agent-world's contract: one program and its arguments, no shell syntax, no inline code. */
import { isShell } from '../shells.ts'
import { wrapperOf } from '../wrappers.ts'
import type { Rule } from './rule.ts'

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
    match: [
      'ls && id',
      'ls | cat',
      'ls; id',
      'ls > x',
      'echo $(id)',
      'echo `id`',
      'ls &',
      'ls\nid',
      '! ls',
      '(ls)',
      '{ ls; }',
      'if ls; then id; fi',
      'cat << E\nE',
      'f() { ls; }',
    ],
    notMatch: [
      "grep 'a|b' x",
      "echo 'a > b; c && d'",
      'curl "http://x/?a=1&b=2"',
      "echo it\\'s",
      'ls -la ./',
      'echo $HOME',
    ],
    script: (scene) => control.some((syntax) => scene.script.syntax.has(syntax)),
  },
  {
    ...base,
    name: 'one-program',
    reason: 'One program and its arguments: nothing before its name, and nothing that starts a second one.',
    match: ['A=b ls', 'find . -exec rm {} +', 'sudo ls', 'xargs ls', "eval 'ls'", 'busybox sh x', 'x=1', '. x'],
    notMatch: ['env A=b ls', 'nice -n 5 ls', 'timeout 5 ls', 'npm test -- tests/core/events/'],
    script: ({ script }) =>
      script.syntax.has('assignment') ||
      script.commands.some((command) => /^(?:\.|source|exec|eval|trap|alias)$/.test(command.path ?? '')) ||
      script.commands.some((command) =>
        command.wrappers.some((name) => !wrapperOf(name)?.transparent || name === 'busybox' || name === 'toybox'),
      ),
  },
  {
    ...base,
    name: 'inline-code',
    reason: 'Inline code (sh -c, node -e, python -c …) is refused: write it to a file first.',
    match: [
      "sh -c 'ls'",
      "node -e '1'",
      'python -c 1',
      'python3 -c1',
      "env A=b bash -c 'ls'",
      'env -i bash -c id',
      "node -p '1'",
      "perl -ne 'print'",
      'awk \'BEGIN{system("id")}\'',
      'sh',
      'pwsh -Command ls',
      'ruby -e 1',
      "php -r '1'",
    ],
    notMatch: [
      'python3 x.py',
      'node x.js -e',
      'sh x.sh',
      "awk '{print $1}' f",
      'sed s/a/b/ f',
      'python3 -m json.tool x',
    ],
    command: (command, scene) =>
      (isShell(command.name) && !command.words.some((word, index) => index > 0 && !/^[-+]/.test(word.prefix))) ||
      (isShell(command.name) && command.args.some((arg, index) => index < 4 && /^-[a-z]*c/.test(arg))) ||
      (command.code !== null && !/^(?:awk|sed|sql)$/.test(command.code.language)) ||
      scene.script.opaque.some((one) => one.kind === 'inline-code'),
  },
  {
    ...base,
    name: 'opaque',
    reason: 'It cannot be known what this would run. Write the program and its arguments plainly.',
    match: ['$X y', "$'ls'", 'r* x'],
    notMatch: ['ls *.txt', 'echo $HOME'],
    script: (scene) => scene.script.opaque.length > 0,
  },
]
