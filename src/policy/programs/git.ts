/** git, and what speaks to its hosts. */
import { literalWord, valuesOf } from '../shell/script.ts'
import type { Effect } from './effect.ts'
import { pathOf, plainPath } from './paths.ts'
import { type Call, has, operandTexts, type Program } from './program.ts'

const verbs = new Set(
  'add am annotate apply archive blame branch bundle cat-file check-attr check-ignore check-ref-format checkout checkout-index cherry cherry-pick clean clone commit commit-tree count-objects describe diff diff-files diff-index diff-tree fetch for-each-ref format-patch fsck gc get-tar-commit-id grep hash-object help index-pack init log ls-files ls-remote ls-tree merge merge-base merge-file merge-tree mktag mktree mv name-rev notes pack-objects pack-refs patch-id prune pull push range-diff read-tree rebase reflog remote repack replace rerere reset restore rev-list rev-parse revert rm shortlog show show-branch show-index show-ref sparse-checkout stash status stripspace switch symbolic-ref tag unpack-objects update-index update-ref update-server-info var verify-commit verify-pack verify-tag version whatchanged worktree write-tree'.split(
    ' ',
  ),
)
const writing = new Set(
  'add commit push reset clean rebase merge cherry-pick revert checkout switch pull am apply mv restore rm init clone fetch gc prune filter-branch worktree submodule notes update-ref update-index read-tree replace bisect format-patch archive sparse-checkout'.split(
    ' ',
  ),
)
/** Configuration that starts nothing; any other key may name a program. */
export const calmKeys =
  /^(?:user|color|advice|log|status|branch|push|pull|fetch|column|commit|rebase|merge|tag|stash|safe)\.[^.=]*$|^core\.(?:quotepath|autocrlf|abbrev|filemode|ignorecase|longpaths|eol|safecrlf|symlinks|bare)$|^diff\.(?:context|algorithm|renames|colormoved|noprefix)$|^init\.defaultbranch$|^http\.(?:postbuffer|version|lowspeed\w*)$|^(?:gc|index|pack|feature)\./i

/** Whether a key of git's configuration may name a program. */
export const runsByKey = (key: string) => !calmKeys.test(key.replace(/=.*/s, ''))

function effects(call: Call): Effect[] {
  const { verb } = call
  const found: Effect[] = []
  const [, ...rest] = operandTexts(call)
  if (verb === 'push' || verb === 'send-pack' || verb === 'force' || (verb === 'subtree' && rest[0] === 'push')) {
    const force = has(call, 'f force force-with-lease d delete mirror prune') || rest.some((text) => /^[+:]/.test(text))
    found.push({ does: 'publishes', force }, { does: 'network' })
  }
  if (verb === null || (verb === '' && call.command.unknownArgs)) found.push({ does: 'publishes', force: false })
  if (verb === 'clean' && has(call, 'f force')) {
    const place = call.arguments.find(({ option }) => option === 'C')?.word ?? literalWord('.')
    found.push({ does: 'deletes', path: pathOf(place, true), recursive: true, how: 'hands' }, { does: 'discards' })
  }
  if (verb === 'filter-branch' || (verb === 'reset' && has(call, 'hard'))) found.push({ does: 'discards' })
  if (changes(call, rest)) found.push({ does: 'changes' })
  if (verb === 'config' && has(call, 'global system') && changes(call, rest)) {
    found.push({ does: 'writes', path: plainPath('~/.gitconfig') })
  }
  if (starts(call, rest)) found.push({ does: 'runs', what: 'hidden' })
  return found
}

function changes(call: Call, rest: string[]): boolean {
  const { verb } = call
  if (verb === null || writing.has(verb)) return true
  if (verb === 'stash') return !/^(?:list|show)$/.test(rest[0] ?? '')
  if (verb === 'remote') return /^(?:add|remove|rm|rename|set-.*|prune|update)$/.test(rest[0] ?? '')
  if (verb === 'config') {
    return !has(call, 'get get-all get-regexp l list') && !/^(?:get|list)$/.test(rest[0] ?? '') && rest.length > 1
  }
  if (verb === 'branch' || verb === 'tag') {
    if (has(call, 'd D m M c C f u delete move copy force set-upstream-to unset-upstream edit-description')) return true
    return rest.length > 0 && !has(call, 'l list contains merged no-merged points-at sort format')
  }
  return verb === '' && call.command.unknownArgs
}

const hidden =
  'x exec exec-path template upload-pack receive-pack ext-diff textconv O open-files-in-pager git-dir config-env config extcmd strategy'

function starts(call: Call, rest: string[]): boolean {
  const { verb } = call
  if (verb === null || (verb !== '' && !verbs.has(verb)) || (verb === '' && call.command.unknownArgs)) return true
  if (call.words.some((word) => word.splits && word.fields === null)) return true
  if (verb === 'archive' || has(call, hidden) || (verb === 'clone' && has(call, 'u c'))) return true
  if (rest.some((text) => /^(?:ext::|!)/.test(text))) return true
  if (
    verb === 'config' &&
    !has(call, 'get get-all list l unset') &&
    rest.length > 1 &&
    rest.some((text) => text.includes('.') && runsByKey(text))
  ) {
    return true
  }
  return call.options
    .slice(0, call.leading)
    .some(({ name, value }) => name === 'c' && value !== null && runsByKey(value.prefix))
}

const said = 'm message author date S G grep since until format pretty'

export const git: readonly Program[] = [
  {
    remote: true,
    names: 'git',
    options: { dir: 'C git-dir work-tree', text: 'c namespace config-env', read: 'exec-path' },
    verbs: {
      'switch checkout branch grep log show diff rev-list ls-files': { text: `${said} c n max-count e` },
      clone: { text: 'b branch depth o origin c config', code: 'u upload-pack' },
      'commit tag': { text: 'm message author date', read: 'F file template t' },
      push: { text: 'o push-option', code: 'receive-pack exec' },
      'rebase bisect': { code: 'x exec' },
      'difftool mergetool': { code: 'x extcmd' },
      'fetch pull ls-remote': { code: 'upload-pack exec', text: 'depth' },
      '*': { text: said },
    },
    others: null,
    stream: 'names',
    prints: (words) => {
      const texts = words.map((word) => valuesOf(word)?.[0] ?? '/')
      return texts[0] === 'ls-files' && texts.slice(1).every((text) => !/^[/.~:-]|\.\./.test(text)) ? ['./*'] : null
    },
    effects,
  },
  { names: 'git-lfs', effects: () => [{ does: 'changes' }] },
  {
    names: 'gh glab',
    known:
      'alias api attestation auth browse cache co codespace completion config extension gist gpg-key help issue label org pr preview project release repo ruleset run search secret ssh-key status variable version workflow mr ci',
    others: /^(?:extension|alias|config)$/,
    options: { text: 't b B H R title body base head repo', read: 'F body-file' },
    effects: (call) =>
      operandTexts(call).some((text) => /^(?:create|delete|merge|close|edit|upload|comment|review)$/.test(text))
        ? [{ does: 'changes' }]
        : [],
  },
]
