/** NullClaw's `allowed_commands`: every command that can run must be on the list, and none may start others behind its back. */
import type { Scene } from '../context.ts'
import { callOf, effectsOf, isSteering } from '../programs/index.ts'
import type { SimpleCommand } from '../shell/script.ts'
import { parentOf, programFolders } from './paths.ts'
import type { Rule } from './rule.ts'
import { runsOthers } from './runs-others.ts'

const base = { guard: 'allowlist', verdict: 'deny', risk: 'medium' } as const

const entriesOf = ({ settings }: Scene) => (settings.allowed_commands ?? []).map((entry) => entry.trim())
const takesAll = (scene: Scene) => entriesOf(scene).includes('*')

function isListed(command: SimpleCommand, scene: Scene): boolean {
  const { path } = command
  if (path === '') return true
  if (path === null) return false
  const leaf = path.replace(/^.*\//s, '')
  const isSystem = !path.includes('/') || programFolders(scene.prefix).includes(parentOf(path))
  return entriesOf(scene).some((entry) => entry === path || (isSystem && !entry.includes('/') && entry === leaf))
}

// a wrapper that adds nothing of its own needs no place on the list where it wraps something
const isTransparent = (command: SimpleCommand) =>
  command.path?.includes('/') === false &&
  effectsOf(command).some((effect) => effect.does === 'runs' && effect.what === 'words' && effect.transparent)

// ["*"] means all
const unlessAll = (says: (command: SimpleCommand, scene: Scene) => boolean) => (command: SimpleCommand, scene: Scene) =>
  !takesAll(scene) && says(command, scene)

const hooks =
  /(?:^|\/)(?:\.git\/(?:hooks\/|config$)|\.bashrc|\.profile|\.bash_profile|\.zshrc|\.mkshrc|\.npmrc|\.gitconfig|\.vimrc|\.inputrc|crontab)/

// what git, the shell or npm run later on
const writesCode = (command: SimpleCommand) =>
  effectsOf(command).some(
    (effect) =>
      effect.does === 'writes' && effect.redirect && (hooks.test(effect.path.prefix) || effect.path.values === null),
  )

// a program that walks through folders is listed to look, not to run or to delete
const walksAndChanges = (command: SimpleCommand) =>
  callOf(command).program?.spans !== undefined &&
  (callOf(command).commands.length > 0 ||
    effectsOf(command).some((effect) => effect.does === 'deletes' || (effect.does === 'writes' && !effect.redirect)))

export const allowlistRules: readonly Rule[] = [
  {
    ...base,
    name: 'not-listed',
    reason: 'Command not allowed: it is not on the list of allowed commands.',
    match: ['rm file.txt', 'ls && /tmp/ls', 'find . -exec rm {} +', 'nice rm x', './ls'],
    notMatch: ['ls -la', '/bin/ls', 'nice -n 10 ls', 'cd src && ls'],
    command: unlessAll(
      (command, scene) => !isListed(command, scene) && !isSteering(command) && !isTransparent(command),
    ),
  },
  {
    ...base,
    name: 'runs-others',
    reason: 'Command not allowed: its arguments make it start other programs.',
    match: ['git -c core.pager="sh -c id" log', 'find . -fprintf x y', 'grep x f > .git/hooks/post-commit'],
    notMatch: ['git log --oneline', 'find . -name x', 'grep -c x f'],
    command: unlessAll((command) => runsOthers(command) || writesCode(command) || walksAndChanges(command)),
  },
  {
    ...base,
    name: 'code-variable',
    reason: 'Command not allowed: this variable decides which programs run.',
    match: ['PATH=. ls', 'GIT_PAGER=id git log', 'env LD_PRELOAD=x ls'],
    notMatch: ['FOO=1 ls', 'echo PATH=x'],
    effect: ({ does }, _command, scene) => does === 'steers' && !takesAll(scene),
  },
  {
    ...base,
    name: 'inline-code',
    reason: 'Command not allowed: it runs code that the list cannot judge.',
    match: ["python3 -c 'print(1)'", 'awk \'BEGIN{system("id")}\'', 'python3'],
    notMatch: ["awk '{print $1}' f", 'python3 x.py'],
    effect: (effect, _command, scene) =>
      !takesAll(scene) &&
      effect.does === 'runs' &&
      (effect.what === 'input' || (effect.what === 'source' && (!effect.data || effect.hidden === true))),
  },
  {
    ...base,
    name: 'opaque',
    reason: 'Command not allowed: it cannot be known what it would run.',
    match: ['$X y', 'eval "$X"', 'l* x'],
    notMatch: ['ls *.txt', 'cat "$HOME/x"'],
    script: (scene) => scene.script.opaque.length > 0 && !takesAll(scene),
  },
  {
    ...base,
    name: 'function',
    reason: 'Command not allowed: a function hides which command a name is.',
    match: ['ls() { cat "$@"; }; ls x'],
    notMatch: ['ls x', "echo 'f() { x; }'"],
    script: (scene) => scene.script.syntax.has('function') && !takesAll(scene),
  },
]
