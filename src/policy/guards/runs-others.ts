/** Programs whose ordinary arguments can make them start others: what to look for, row by row. */
import { findCode } from '../interpreters.ts'
import type { SimpleCommand } from '../script.ts'

const rows: readonly { names: RegExp; args: RegExp; second?: RegExp }[] = [
  {
    names: /^git$/,
    args: /^(?:-c|-c.+|--config-env(?:=.*)?|--exec-path=.*|--upload-pack(?:=.*)?|--receive-pack(?:=.*)?|-u.+|--exec=.*|-x.*|--ext-diff|--textconv|-O.+|--open-files-in-pager.*|--extcmd=.*|-y=.*|--tool=.*)$/,
    second:
      /^(?:config|alias|filter-branch|bisect|submodule|difftool|mergetool|hook|daemon|instaweb|web--browse|maintenance|send-email|upload-pack|archive|fast-import|credential.*|remote-.*)(?:\..*)?$/,
  },
  { names: /^(?:find|gfind)$/, args: /^-(?:exec|ok)(?:dir)?$|^-fprintf?0?$|^-fls$|^-delete$/ },
  {
    names: /^(?:bsd)?tar$/,
    args: /^--(?:checkpoint-act.*|to-com.*|use-comp.*|rsh-com.*|info-script.*|new-volume.*|rmt-com.*)|^-[a-zA-Z]*[IF]|^-I/,
  },
  { names: /^(?:g?zip|unzip)$/, args: /^-TT$|^--unzip-command|^-[a-zA-Z]*TT/ },
  { names: /^sort$/, args: /^--compress-pro|^-o|^--output/ },
  { names: /^split$/, args: /^--filter/ },
  { names: /^(?:rg|ugrep)$/, args: /^--pre(?:=|$)|^--hostname-bin|^--filter/ },
  { names: /^(?:fd|fdfind)$/, args: /^-[a-zA-Z]*[xX]$|^--exec/ },
  { names: /^(?:less|more|most|man|info)$/, args: /^\+|^-P.|^--pager|^-[koO]|^--(?:html|browser)/ },
  { names: /^(?:ssh|scp|sftp|rsync)$/, args: /ProxyCommand|LocalCommand|PermitLocal|^-S|^-e|^--rsh|^--rsync-path|^-F/ },
  { names: /^(?:curl|wget)$/, args: /^-K|^--config|^--use-askpass|^-e$|^--execute|^-o|^--output|^-O$/ },
  {
    names: /^(?:npm|pnpm|yarn|bun)$/,
    args: /^--(?:script-shell|node-options|init-module|prefix|userconfig|globalconfig|call|shell)/,
    second: /^(?:exec|x|dlx|explore|set|config|c|edit|init|create)$/,
  },
  { names: /^cargo$/, args: /^--config|^-Z|^\+/, second: /^(?:rustc|install)$/ },
  { names: /^(?:make|gmake|cmake|ninja)$/, args: /^--eval|^SHELL=|^-E$|^-f$|^--file|^-f.+|^-C|=.*[$`]/ },
  { names: /^go$/, args: /^-(?:toolexec|exec|modfile|overlay|C)(?:=|$)/, second: /^(?:generate|run|tool|env)$/ },
  { names: /^(?:docker|podman|kubectl|adb|fastboot)$/, args: /./ },
  { names: /^(?:vim?|nvim|emacs|nano|ed|ex)$/, args: /./ },
  { names: /^(?:tee)$/, args: /(?:^|\/)(?:\.git\/|\.bashrc|\.profile)/ },
  { names: /^(?:pip3?|uv|poetry)$/, args: /^--(?:python|global-option|config-settings)/ },
  { names: /^(?:zsh|bash|sh|dash)$/, args: /^--(?:rcfile|init-file)/ },
  { names: /^(?:openssl)$/, args: /^-engine$|^-provider/, second: /^engine$/ },
  { names: /^(?:sqlite3|mysql|psql)$/, args: /^-(?:cmd|init)$|\.(?:shell|system)|load_extension/ },
]

/** Whether the arguments of this command make it start programs that the parser does not see. */
export function runsOthers(command: SimpleCommand): boolean {
  const row = rows.find((candidate) => candidate.names.test(command.name))
  if (!row) return false
  if (command.unknownArgs && command.words.some((word) => word.splits && word.fields === null)) return true
  const ended = command.args.indexOf('--')
  const args = ended < 0 ? command.args : command.args.slice(0, ended)
  const messages = new Set(
    args.flatMap((arg, index) => (/^(?:-a?m|--message|--grep|--author)$/.test(arg) ? [index + 1] : [])),
  )
  if (args.some((arg, index) => !messages.has(index) && row.args.test(arg))) return true
  const verb = args.find(
    (arg, index) => !arg.startsWith('-') && !/^(?:-C|--git-dir|--work-tree)$/.test(args[index - 1] ?? ''),
  )
  return row.second !== undefined && verb !== undefined && row.second.test(verb)
}

/** Whether a program reads code in a language at all. */
export const isInterpreter = (name: string): boolean => findCode(name, []) !== null
