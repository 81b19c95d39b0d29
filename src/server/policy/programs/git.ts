/** git, and the command-line tools of its hosting services. */
import { shellWord } from '../../../shared/schema/index.ts'
import { cutWord, isAnything, literalWord, unknownWord, valuesOf, type Word } from '../script/script.ts'
import { changes, type Effect, hidden, network, when } from './effect.ts'
import { deleted, joinedWord, moved, plainPath } from './paths.ts'
import { anyLike, type Call, has, anyOperandLike, textsOf, valuesOfOption } from './program.ts'
import { table } from './table.ts'

/** Configuration keys that start nothing; any other key may name a program. */
export const harmlessKeys =
  /^(?:user|color|advice|log|status|branch|push|pull|fetch|column|commit|rebase|merge|tag|stash|safe)\.[^.=]*$|^core\.(?:quotepath|autocrlf|abbrev|filemode|ignorecase|longpaths|eol|safecrlf|symlinks|bare)$|^diff\.(?:context|algorithm|renames|colormoved|noprefix)$|^init\.defaultbranch$|^http\.(?:postbuffer|version|lowspeed\w*)$|^(?:gc|index|pack|feature)\./i

const runsByKey = (key: string) => !harmlessKeys.test(key.replace(/=.*/s, ''))
// whether the verb is unknown
const isUnknown = ({ verb, command }: Call) => verb === null || (verb === '' && command.unknownArgs)

function effects(call: Call): Effect[] {
  const { verb } = call
  const rest = textsOf(call).slice(1)
  const pushes = /^(?:push|send-pack|force)$/.test(verb ?? '') || (verb === 'subtree' && rest[0] === 'push')
  const force = has(call, 'f force force-with-lease d delete mirror prune') || anyLike(rest, /^[+:]/)
  const changing = makesChanges(call, rest)
  const forAll = verb === 'config' && has(call, 'global system') && changing
  return [
    ...when(pushes, { does: 'publishes', force }, network),
    ...when(isUnknown(call), { does: 'publishes', force: false }),
    ...(verb === 'clean' && has(call, 'f force') ? cleaned(call) : []),
    ...when(verb === 'stash' && has(call, 'u a include-untracked all'), ...moved(workTreesOf(call))),
    ...when(verb === 'filter-branch' || (verb === 'reset' && has(call, 'hard')), { does: 'discards' }),
    ...when(changing, changes),
    ...(forAll ? [{ does: 'writes', path: plainPath('~/.gitconfig') } as const] : []),
    ...when(starts(call, rest), hidden),
  ]
}

function cleaned(call: Call): Effect[] {
  return [...deleted(workTreesOf(call), { recursive: true, how: 'hands' }), { does: 'discards' }]
}

// returns the possible work trees: each -C is relative to the previous one, and a work tree can be named in four ways
function workTreesOf({ options, leading, command }: Call): Word[] {
  const before = options.slice(0, leading)
  const given = (wanted: string) => before.flatMap(({ name, value }) => (name === wanted && value ? [value] : []))
  const start = given('C').reduce(joinedWord, literalWord('.'))
  const configured = given('c').filter(({ prefix }) => /^core\.worktree=/i.test(prefix))
  const trees = [
    ...given('work-tree'),
    ...configured.map((word) => cutWord(word, 'core.worktree='.length)),
    ...command.assignments.flatMap(({ name, word }) => (name === 'GIT_WORK_TREE' ? [valueOf(word)] : [])),
    ...(command.valuesOf('GIT_WORK_TREE')?.map(literalWord) ?? [unknownWord('$GIT_WORK_TREE')]),
  ]
  return trees.length > 0 ? trees.map((tree) => joinedWord(start, tree)) : [start]
}

// in `env NAME=VALUE`, the word is the whole assignment
const valueOf = (word: Word) =>
  word.prefix.startsWith('GIT_WORK_TREE=') ? cutWord(word, 'GIT_WORK_TREE='.length) : word

// finds code in ext::CODE, where git replaces %S and %G, and in the values of -c
function commandsIn(call: Call): Word[] {
  const hosts = call.command.args.flatMap((arg) => {
    const code = /(?:^|=)ext::(.*)$/s.exec(arg)?.[1]
    return code === undefined ? [] : [code.replace(/%(.)/g, (_, sign: string) => escapes[sign] ?? sign)]
  })
  // longer values are judged as suspects
  const settings = settingsOf(call)
  const values = (settings ?? []).map(programIn)
  const known = [...hosts, ...values].filter(Boolean).map(literalWord)
  return settings === null ? [...known, unknownWord('--config-env')] : [...known, ...aliased(call, settings)]
}

// git -c NAME=VALUE, and git --config-env=NAME=VARIABLE; null: one is unknown. If the verb is unknown, it may be a -c, too.
function settingsOf(call: Call): string[] | null {
  const settings = [...valuesOfOption(call, 'c'), ...(call.verb === null ? call.command.args : [])]
  const unknown = call.options.filter(({ name, value }) => name === 'c' && value?.fields === null)
  if (unknown.some(({ value }) => mayNameProgram(value!.prefix))) return null
  for (const text of valuesOfOption(call, 'config-env')) {
    const at = text.lastIndexOf('=') + 1
    const values = call.command.valuesOf(text.slice(at))
    if (values === null || values.length === 0) return null
    settings.push(...values.map((value) => text.slice(0, at) + value))
  }
  return settings
}

// git -c alias.x='!CODE' x WORDS: an alias without ! is another verb, which remains unknown
function aliased(call: Call, settings: readonly string[]): Word[] {
  return settings.flatMap((text) => {
    const [, name, code] = /^alias\.([^=]+)=(.*)$/is.exec(text) ?? []
    if (code === undefined || (call.verb !== null && name!.toLowerCase() !== call.verb.toLowerCase())) return []
    if (call.verb === null) return [unknownWord(code)]
    const words = call.words.slice(call.words.indexOf(call.operands[0]!) + 1)
    if (!code.startsWith('!') || words.some(({ literal }) => literal === null)) return [unknownWord(code)]
    return [literalWord([code.slice(1), ...words.map(({ literal }) => shellWord(literal!))].join(' '))]
  })
}

const programKey = /pager|editor|command|helper|program|textconv|external|driver|askpass|gitproxy/i

// the program that a setting names, otherwise ''; one pattern for the whole setting would need quadratic time
function programIn(setting: string): string {
  const at = setting.lastIndexOf('=')
  const name = setting.slice(setting.lastIndexOf('=', at - 1) + 1, at)
  return at > 0 && programKey.test(name) ? (/^!?([\w./-]+)$/.exec(setting.slice(at + 1))?.[1] ?? '') : ''
}

// whether this is the known beginning of a setting whose name is unknown, or of one that names a program
function mayNameProgram(beginning: string): boolean {
  const [name = '', ...value] = beginning.split('=', 2)
  return value.length === 0 || /^alias\./i.test(name) || programKey.test(name)
}

const escapes: Readonly<Record<string, string>> = { ' ': '\\ ', S: 'git-upload-pack', G: 'upload-pack' }

const altering = 'd D m M c C f u delete move copy force set-upstream-to unset-upstream edit-description'

function makesChanges(call: Call, rest: readonly string[]): boolean {
  const { verb } = call
  const [what = ''] = rest
  if (verb === 'stash') return !/^(?:list|show)$/.test(what)
  if (verb === 'remote') return /^(?:add|remove|rm|rename|set-.*|prune|update)$/.test(what)
  if (verb === 'config') {
    return rest.length > 1 && !/^(?:get|list)$/.test(what) && !has(call, 'get get-all get-regexp l list')
  }
  if (verb !== 'branch' && verb !== 'tag') return isUnknown(call)
  const looks = has(call, 'l list contains merged no-merged points-at sort format')
  return has(call, altering) || (rest.length > 0 && !looks)
}

const starting =
  'x exec exec-path template upload-pack receive-pack ext-diff textconv O open-files-in-pager git-dir config-env config extcmd strategy'

function starts(call: Call, rest: readonly string[]): boolean {
  const { verb, options, leading, words } = call
  if (isUnknown(call) || verb === 'archive' || words.some(isAnything)) return true
  if (has(call, starting) || (verb === 'clone' && has(call, 'u c'))) return true
  if (anyLike(rest, /^(?:ext::|!)/)) return true
  const sets = verb === 'config' && rest.length > 1 && !has(call, 'get get-all list l unset')
  if (sets && rest.some((text) => text.includes('.') && runsByKey(text))) return true
  return options.slice(0, leading).some(({ name, value }) => name === 'c' && value && runsByKey(value.prefix))
}

// `git ls-files` prints names of files in the repository
function printed(words: readonly Word[]): string[] | null {
  const [verb, ...texts] = words.map((word) => valuesOf(word)?.[0] ?? '/')
  return verb === 'ls-files' && texts.every((text) => !/^[/.~:-]|\.\./.test(text)) ? ['./*'] : null
}

export const git = table([
  {
    names: 'git',
    tier: 'repository',
    remote: true,
    plain: true,
    stream: 'names',
    addsWords: 'O open-files-in-pager',
    knownVerbs: `
      add am annotate apply archive blame branch bundle cat-file check-attr check-ignore check-ref-format
      checkout checkout-index cherry cherry-pick clean clone commit commit-tree count-objects describe diff
      diff-files diff-index diff-tree fetch for-each-ref format-patch fsck gc get-tar-commit-id grep hash-object
      help index-pack init log ls-files ls-remote ls-tree merge merge-base merge-file merge-tree mktag mktree mv
      name-rev notes pack-objects pack-refs patch-id prune pull push range-diff read-tree rebase reflog remote
      repack replace rerere reset restore rev-list rev-parse revert rm shortlog show show-branch show-index
      show-ref sparse-checkout stash status stripspace switch symbolic-ref tag unpack-objects update-index
      update-ref update-server-info var verify-commit verify-pack verify-tag version whatchanged worktree
      write-tree
    `,
    changingVerbs: `
      add commit push reset clean rebase merge cherry-pick revert checkout switch pull am apply mv restore rm
      init clone fetch gc prune filter-branch worktree submodule notes update-ref update-index read-tree replace
      bisect format-patch archive sparse-checkout
    `,
    options: { dir: 'C git-dir work-tree', text: 'c namespace config-env', read: 'exec-path' },
    verbs: {
      grep: { text: 'e A B C m max-count max-depth threads', read: 'f', code: 'O? open-files-in-pager?' },
      'switch checkout branch log show diff rev-list ls-files': {
        text: 'author date S G grep since until format pretty e',
      },
      clone: { text: 'b branch depth o origin c config', code: 'u upload-pack' },
      'commit tag': { text: 'm message author date', read: 'F file template t' },
      push: { text: 'o push-option', code: 'receive-pack exec' },
      'rebase bisect': { code: 'x exec' },
      'difftool mergetool': { code: 'x extcmd' },
      'fetch pull ls-remote': { code: 'upload-pack exec', text: 'depth' },
      '*': { text: 'm message author date S G grep since until format pretty' },
    },
    prints: printed,
    codes: commandsIn,
    effects,
  },
  { names: 'git-lfs', does: [changes] },
  {
    names: 'gh glab',
    startsOthers: /^(?:extension|alias|config)$/,
    knownVerbs: `
      alias api attestation auth browse cache co codespace completion config extension gist gpg-key help issue
      label org pr preview project release repo ruleset run search secret ssh-key status variable version
      workflow mr ci
    `,
    options: { text: 't b B H R title body base head repo', read: 'F body-file' },
    effects: (call) =>
      when(anyOperandLike(call, /^(?:create|delete|merge|close|edit|upload|comment|review)$/), changes),
  },
])
