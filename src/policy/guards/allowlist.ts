/** NullClaw's `allowed_commands`: every command that can run must be on the list, and none may start others behind its back. */

import { parentOf } from '../paths.ts'
import type { Scene } from '../scene.ts'
import type { SimpleCommand } from '../script.ts'
import { wrapperOf } from '../wrappers.ts'
import type { Rule } from './rule.ts'
import { runsOthers } from './runs-others.ts'

const base = { guard: 'allowlist', verdict: 'deny', risk: 'medium' } as const
// these only steer the shell
const builtins = new Set([
  ':',
  'true',
  'false',
  'cd',
  'exit',
  'return',
  'break',
  'continue',
  'shift',
  'wait',
  'umask',
  'times',
  '[',
  'test',
  'pwd',
  'unset',
  'local',
  'readonly',
  'export',
  'set',
  'read',
  'getopts',
])
const systemFolders = [
  '/bin',
  '/sbin',
  '/usr/bin',
  '/usr/sbin',
  '/usr/local/bin',
  '/usr/local/sbin',
  '/system/bin',
  '/system/xbin',
  '/vendor/bin',
  '/apex/com.android.runtime/bin',
]
// variables that decide which program a name is, or that make programs run others
const codeVariables =
  /^(?:PATH|IFS|ENV|BASH_ENV|SHELL|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|CDPATH|LD_\w+|DYLD_\w+|GIT_\w+|\w*PAGER|\w*EDITOR|VISUAL|BROWSER|NODE_OPTIONS|NODE_PATH|NPM_\w+|npm_config_\w+|PYTHON\w+|PERL\w+|RUBY\w+|LUA_\w+|LESSOPEN|LESSCLOSE|TAR_OPTIONS|GREP_OPTIONS|RSYNC_RSH|MAKEFLAGS|CC|CXX|CARGO_\w+|RUSTC\w*|GO\w*|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|BASH_FUNC\w*|EXECIGNORE|AWKPATH|MANOPT|TERMINFO|SSH_ASKPASS|SUDO_ASKPASS|HOME)$/

function isListed(command: SimpleCommand, scene: Scene): boolean {
  const entries = (scene.settings.allowed_commands ?? []).map((entry) => entry.trim())
  if (entries.includes('*') || command.path === '') return true
  if (command.path === null) return false
  const folders = [...systemFolders, `${scene.prefix}/bin`]
  const atHome = !command.path.includes('/') || folders.includes(parentOf(command.path))
  return entries.some((entry) => entry === command.path || (atHome && !entry.includes('/') && entry === command.name))
}

function isSteering(command: SimpleCommand): boolean {
  return builtins.has(command.path ?? '')
}

// a wrapper that adds nothing of its own needs no place on the list where it wraps something
function isTransparent(command: SimpleCommand, scene: Scene): boolean {
  if (!wrapperOf(command.name)?.transparent || command.path !== command.name) return false
  if (command.name === 'busybox' || command.name === 'toybox') return false
  return scene.script.commands.some((other) => other.wrappers.at(-1) === command.name)
}

export const allowlistRules: readonly Rule[] = [
  {
    ...base,
    name: 'not-listed',
    reason: 'Command not allowed: it is not on the list of allowed commands.',
    match: [
      'rm file.txt',
      'ls; rm x',
      'ls && /tmp/ls',
      'find . -exec rm {} +',
      'nice rm x',
      'echo x | xargs rm',
      "sh -c 'rm x'",
      './ls',
      'git status; $(rm x)',
    ],
    notMatch: [
      'ls -la',
      'git status --short | grep M',
      '/bin/ls',
      'nice -n 10 ls',
      'ls 2>&1',
      "echo 'a; rm b'",
      'echo "a | b"',
      'cd src && ls',
      'x=1; echo $x',
    ],
    command: (command, scene) => !isListed(command, scene) && !isSteering(command) && !isTransparent(command, scene),
  },
  {
    ...base,
    name: 'runs-others',
    reason: 'Command not allowed: its arguments make it start other programs.',
    match: [
      'git -c core.pager="sh -c id" log',
      'git config alias.x "!id"',
      'find . -fprintf x y',
      'git --exec-path=/tmp status',
      'grep x f > .git/hooks/post-commit',
    ],
    notMatch: ['git log --oneline', 'find . -name x', 'git commit -m "config -c"', 'grep -c x f', 'git diff -- config'],
    command: (command) => runsOthers(command) || writesCode(command),
  },
  {
    ...base,
    name: 'code-variable',
    reason: 'Command not allowed: this variable decides which programs run.',
    match: [
      'PATH=. ls',
      'GIT_PAGER=id git log',
      'LD_PRELOAD=./x.so ls',
      'export PATH=/tmp:$PATH; ls',
      'env LD_PRELOAD=x ls',
    ],
    notMatch: ['FOO=1 ls', 'echo PATH=x', 'x=y; echo $x'],
    command: (command) =>
      command.assignments.some((one) => codeVariables.test(one.name)) ||
      (/^(?:export|env|readonly|local|typeset|declare|command)$/.test(command.name) &&
        command.words.some((word, index) => index > 0 && codeVariables.test(/^(\w+)=/.exec(word.prefix)?.[1] ?? ''))),
  },
  {
    ...base,
    name: 'inline-code',
    reason: 'Command not allowed: it runs code that the list cannot judge.',
    match: ["python3 -c 'print(1)'", 'awk \'BEGIN{system("id")}\'', "sed 's/x/id/e' f"],
    notMatch: ["awk '{print $1}' f", "sed -n '1,5p' f", 'python3 x.py'],
    command: (command, scene) =>
      command.code !== null &&
      (!/^(?:awk|sed)$/.test(command.code.language) ||
        scene.script.opaque.some((one) => one.kind === 'inline-code' && one.source === command.source)),
  },
  {
    ...base,
    name: 'opaque',
    reason: 'Command not allowed: it cannot be known what it would run.',
    match: ['$X y', "$'rm' x", 'eval "$X"', 'l* x'],
    notMatch: ['ls *.txt', 'cat "$HOME/x"'],
    script: (scene) => scene.script.opaque.length > 0,
  },
  {
    ...base,
    name: 'function',
    reason: 'Command not allowed: a function hides which command a name is.',
    match: ['ls() { cat "$@"; }; ls x'],
    notMatch: ['ls x', "echo 'f() { x; }'"],
    script: (scene) => scene.script.syntax.has('function'),
  },
]

const hooks =
  /(?:^|\/)(?:\.git\/(?:hooks\/|config$)|\.bashrc|\.profile|\.bash_profile|\.zshrc|\.mkshrc|\.npmrc|\.gitconfig|\.vimrc|\.inputrc|crontab)/

// what git, the shell or npm run later on
function writesCode(command: SimpleCommand): boolean {
  return command.redirections.some(
    (one) => /^(?:>|&>|<>)/.test(one.operator) && (hooks.test(one.target?.prefix ?? '') || one.target?.fields === null),
  )
}
