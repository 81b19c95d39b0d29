/** Programs whose ordinary arguments can make them start others: what to look for, row by row. */
import type { SimpleCommand } from '../script.ts'

interface Row {
  names: RegExp
  /** one argument like this is enough */
  args?: RegExp
  /** the first word after the options is one of these */
  verbs?: RegExp
  /** the first word after the options is none of these: it may be an alias or a plug-in */
  known?: ReadonlySet<string>
}

const gitVerbs = new Set(
  'add am annotate apply archive blame branch bundle cat-file check-attr check-ignore check-ref-format checkout checkout-index cherry cherry-pick clean clone commit commit-tree count-objects describe diff diff-files diff-index diff-tree fetch for-each-ref format-patch fsck gc get-tar-commit-id grep hash-object help index-pack init log ls-files ls-remote ls-tree merge merge-base merge-file merge-tree mktag mktree mv name-rev notes pack-objects pack-refs patch-id prune pull push range-diff read-tree rebase reflog remote repack replace rerere reset restore rev-list rev-parse revert rm shortlog show show-branch show-index show-ref sparse-checkout stash status stripspace switch symbolic-ref tag unpack-objects update-index update-ref update-server-info var verify-commit verify-pack verify-tag version whatchanged worktree write-tree'.split(
    ' ',
  ),
)

const rows: readonly Row[] = [
  {
    names: /^git$/,
    args: /^(?:-c.*|--config(?:-env)?(?:=.*)?|--exec-path=.*|--template(?:=.*)?|--upload-pack(?:=.*)?|--receive-pack(?:=.*)?|-u.+|--exec(?:=.*)?|-x.*|--ext-diff|--textconv|-O.*|--open-files-in-pager.*|ext::.*)$/,
    verbs: /^(?:archive)$/,
    known: gitVerbs,
  },
  { names: /^g?find$/, args: /^-(?:exec|ok)(?:dir)?$|^-fprintf?0?$|^-fls$|^-delete$/ },
  {
    names: /^(?:bsd)?tar$/,
    args: /^--(?:checkpoint-act|to-com|use-comp|rsh-com|info-script|new-volume|rmt-com)|^-[a-zA-Z]*[IF]/,
  },
  { names: /^(?:zip|unzip)$/, args: /^-[a-zA-Z]*TT|^--unzip-command/ },
  { names: /^sort$/, args: /^--compress-pro/ },
  { names: /^split$/, args: /^--filter/ },
  { names: /^[gmn]?awk$/, args: /^-[fElie]|^--(?:file|exec|load|include|source)|^@load/ },
  { names: /^g?sed$/, args: /^-[nErsuz]*f|^--file/ },
  { names: /^(?:rg|ugrep)$/, args: /^--pre(?:=|$)|^--hostname-bin|^--filter/ },
  { names: /^(?:fd|fdfind)$/, args: /^-[a-zA-Z]*[xX]$|^--exec/ },
  { names: /^(?:less|more|most|man|info)$/, args: /^\+|^-P.|^--pager|^-[ko]|^--(?:html|browser)/ },
  { names: /^(?:ssh|scp|sftp|rsync)$/, args: /ProxyCommand|LocalCommand|PermitLocal|^-S|^-e|^--rsh|^--rsync-path|^-F/ },
  { names: /^(?:curl|wget)$/, args: /^-K|^--config|^--use-askpass|^-e$|^--execute/ },
  {
    names: /^(?:npm|pnpm|yarn|bun)$/,
    args: /^--(?:script-shell|node-options|init-module|userconfig|globalconfig|call|shell)/,
    verbs: /^(?:exec|x|dlx|explore|edit)$/,
  },
  { names: /^cargo$/, args: /^--config|^-Z/ },
  { names: /^g?make$/, args: /^--eval|^SHELL=|=.*[$`]/ },
  { names: /^go$/, args: /^-(?:toolexec|exec|overlay)(?:=|$)/, verbs: /^(?:generate|tool)$/ },
  { names: /^(?:vim?|nvim|emacs|ex)$/, args: /^\+|^-[cS]$|^--(?:cmd|eval)|!/ },
  { names: /^openssl$/, args: /^-engine$|^-provider/, verbs: /^engine$/ },
  { names: /^(?:sqlite3|mysql|psql)$/, args: /^-(?:cmd|init)$|^\s*[.\\](?:shell|system|!)|load_extension/ },
]

/** Whether the arguments of this command make it start programs that the parser does not see. */
export function runsOthers(command: SimpleCommand): boolean {
  const row = rows.find((candidate) => candidate.names.test(command.name))
  if (!row) return false
  if (command.words.some((word) => word.splits && word.fields === null)) return true
  const ended = command.args.indexOf('--')
  const args = ended < 0 ? command.args : command.args.slice(0, ended)
  const isMessage = (index: number) => /^(?:-a?m|--message|--grep|--author)$/.test(args[index - 1] ?? '')
  if (args.some((arg, index) => !isMessage(index) && row.args?.test(arg) && !isBranch(args, index))) return true
  const verb = args.find((arg, index) => !arg.startsWith('-') && !takesValue.test(args[index - 1] ?? ''))
  if (verb === undefined) return row.known !== undefined && command.unknownArgs
  return row.verbs?.test(verb) || (row.known !== undefined && !row.known.has(verb))
}

const takesValue = /^(?:-C|--git-dir|--work-tree|--namespace)$/

// `git checkout -c`, `git switch -c new`, `git grep -c`: not git's own -c
function isBranch(args: readonly string[], index: number): boolean {
  return args[index] === '-c' && /^(?:switch|grep|rev-list|ls-files)$/.test(args[0] ?? '')
}
