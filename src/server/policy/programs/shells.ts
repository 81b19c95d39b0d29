/** Shells, and the builtins that only a shell has. */
import { soleOf, type Word } from '../script/script.ts'
import { type Effect, when } from './effect.ts'
import { plainPath } from './paths.ts'
import { table } from './table.ts'

function printed(given: readonly Word[]): readonly string[] | null {
  const known = given.map(soleOf)
  const text = known.join(' ')
  return known.includes(null) || /^-[neE]/.test(text) || text.includes('\\') ? null : [text]
}

function formatted(given: readonly Word[]) {
  const known = printed(given.length > 1 && soleOf(given[0]!) === '%s' ? given.slice(1) : given)
  return known?.some((text) => /[%\\]/.test(text)) ? null : known
}

const likely: Record<string, string> = { whoami: 'user', hostname: 'host', id: '10000', uname: 'Linux', nproc: '4' }

const home: Effect = { does: 'reads', path: plainPath('~') }

export const shells = table([
  {
    names: 'sh dash ash lksh mksh oksh hush posh lash mksh-static su-sh',
    operands: 'read maybe',
    shell: true,
    ordered: true,
    unclear: 'rcfile init-file',
    options: { text: 'o O' },
  },
  {
    names: 'ksh ksh93',
    operands: 'read maybe',
    shell: true,
    ordered: true,
    codeAt: 0,
    unclear: 'rcfile init-file',
    options: { text: 'o' },
  },
  { names: 'zsh', operands: 'read maybe', shell: true, ordered: true, options: { text: 'o' } },
  {
    names: 'yash',
    operands: 'read maybe',
    shell: true,
    ordered: true,
    options: { text: 'o', script: 'rcfile profile' },
  },
  {
    names: 'bash rbash bash-static',
    operands: 'read maybe',
    shell: true,
    ordered: true,
    options: { text: 'o O', script: 'rcfile init-file' },
  },
  { names: '. source', operands: 'read maybe', sources: true, ordered: true, does: [{ does: 'sources' }] },
  { names: 'echo!', operands: 'text', plain: true, stream: 'names', printsExactly: true, prints: printed },
  { names: 'printf!', operands: 'text', plain: true, printsExactly: true, prints: formatted },
  {
    names: `
      expr seq sleep! type jobs ulimit yes which whereis tty clear getconf uptime free stty tput groups logname
      arch alias unalias bg disown
    `,
    operands: 'text',
    plain: true,
  },
  { names: 'hash', operands: 'text', plain: true, unclear: 'p', options: { read: 'p' } },
  {
    names: 'mapfile readarray',
    operands: 'text',
    plain: true,
    addsWords: 'C',
    options: { text: 'd n O s u c', code: 'C' },
  },
  {
    names: 'compgen complete',
    operands: 'text',
    plain: true,
    addsWords: 'C',
    options: { text: 'A G P S X o F', code: 'C W' },
  },
  { names: 'enable', operands: 'text', plain: true, unclear: 'f', options: { read: 'f' } },
  { names: 'bind', operands: 'text', unclear: 'x f', options: { text: 'm q u r', read: 'f' } },
  {
    names: 'true false : unset set shift exit return break continue wait umask getopts times read',
    operands: 'text',
    plain: true,
    steering: true,
  },
  { names: 'export readonly local', operands: 'text', plain: true, steering: true, declares: true },
  { names: 'declare typeset', operands: 'text', plain: true, declares: true },
  { names: 'apropos whatis', operands: 'text', startsOthers: /^-C|^--config/ },
  {
    names: 'whoami! hostname id! uname! nproc',
    operands: 'text',
    plain: true,
    prints: (_words, { name }) => [likely[name]!],
  },
  {
    names: 'pwd',
    operands: 'text',
    plain: true,
    steering: true,
    prints: ([word], { PWD }) => (word || PWD === undefined ? null : [PWD]),
  },
  {
    names: 'test [',
    operands: 'text',
    plain: true,
    steering: true,
    dashed: true,
    options: { read: 'b c d e f g h k p r s u w x G L N O S' },
  },
  {
    names: 'trap',
    operands: 'text',
    effects: (call) => when(call.operands.length > 1, { does: 'runs', what: 'code' }),
  },
  {
    names: 'cd chdir',
    operands: 'read',
    plain: true,
    steering: true,
    effects: (call) => when(call.operands.length === 0, home),
  },
  { names: 'pushd popd', operands: 'read', plain: true },
])
