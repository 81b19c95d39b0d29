/** git, and what speaks to its hosts. */
import { isAnything, literalWord, valuesOf, type Word } from '../shell/script.ts'
import { changes, type Effect, hidden, network, when } from './effect.ts'
import { deleted, plainPath } from './paths.ts'
import { anyLike, type Call, has, says, textsOf } from './program.ts'
import { readTable } from './table.ts'

/** Configuration that starts nothing; any other key may name a program. */
export const calmKeys =
  /^(?:user|color|advice|log|status|branch|push|pull|fetch|column|commit|rebase|merge|tag|stash|safe)\.[^.=]*$|^core\.(?:quotepath|autocrlf|abbrev|filemode|ignorecase|longpaths|eol|safecrlf|symlinks|bare)$|^diff\.(?:context|algorithm|renames|colormoved|noprefix)$|^init\.defaultbranch$|^http\.(?:postbuffer|version|lowspeed\w*)$|^(?:gc|index|pack|feature)\./i

const runsByKey = (key: string) => !calmKeys.test(key.replace(/=.*/s, ''))
// the verb is not known
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
    ...when(verb === 'filter-branch' || (verb === 'reset' && has(call, 'hard')), { does: 'discards' }),
    ...when(changing, changes),
    ...(forAll ? [{ does: 'writes', path: plainPath('~/.gitconfig') } as const] : []),
    ...when(starts(call, rest), hidden),
  ]
}

function cleaned(call: Call): Effect[] {
  const place = call.arguments.find(({ option }) => option === 'C')?.word ?? literalWord('.')
  return [...deleted([place], { recursive: true, how: 'hands' }), { does: 'discards' }]
}

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

// files of the repository
function printed(words: readonly Word[]): string[] | null {
  const [verb, ...texts] = words.map((word) => valuesOf(word)?.[0] ?? '/')
  return verb === 'ls-files' && texts.every((text) => !/^[/.~:-]|\.\./.test(text)) ? ['./*'] : null
}

export const git = readTable(
  `
git = remote; plain; stream: names; dir: C git-dir work-tree; text: c namespace config-env; read: exec-path;
  known: add am annotate apply archive blame branch bundle cat-file check-attr check-ignore check-ref-format checkout checkout-index cherry cherry-pick clean clone commit commit-tree count-objects describe diff diff-files diff-index diff-tree fetch for-each-ref format-patch fsck gc get-tar-commit-id grep hash-object help index-pack init log ls-files ls-remote ls-tree merge merge-base merge-file merge-tree mktag mktree mv name-rev notes pack-objects pack-refs patch-id prune pull push range-diff read-tree rebase reflog remote repack replace rerere reset restore rev-list rev-parse revert rm shortlog show show-branch show-index show-ref sparse-checkout stash status stripspace switch symbolic-ref tag unpack-objects update-index update-ref update-server-info var verify-commit verify-pack verify-tag version whatchanged worktree write-tree;
  alters: add commit push reset clean rebase merge cherry-pick revert checkout switch pull am apply mv restore rm init clone fetch gc prune filter-branch worktree submodule notes update-ref update-index read-tree replace bisect format-patch archive sparse-checkout
  > switch checkout branch grep log show diff rev-list ls-files = text: author date S G grep since until format pretty e
  > clone = text: b branch depth o origin c config; code: u upload-pack
  > commit tag = text: m message author date; read: F file template t
  > push = text: o push-option; code: receive-pack exec
  > rebase bisect = code: x exec
  > difftool mergetool = code: x extcmd
  > fetch pull ls-remote = code: upload-pack exec; text: depth
  > * = text: m message author date S G grep since until format pretty
git-lfs = does: changes
gh glab = others: /^(?:extension|alias|config)$/;
  known: alias api attestation auth browse cache co codespace completion config extension gist gpg-key help issue label org pr preview project release repo ruleset run search secret ssh-key status variable version workflow mr ci;
  text: t b B H R title body base head repo; read: F body-file
`,
  {
    git: { prints: printed, effects },
    gh: (call) => when(says(call, /^(?:create|delete|merge|close|edit|upload|comment|review)$/), changes),
  },
)
