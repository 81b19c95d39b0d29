/** Shells, and the builtins that only a shell has. */
import { valuesOf, type Word } from '../shell/script.ts'
import { type Effect, when } from './effect.ts'
import { plainPath } from './paths.ts'
import { files, type Rows, words } from './program.ts'

const sole = (word: Word | undefined) => {
  const values = word && valuesOf(word)
  return values?.length === 1 ? values[0]! : null
}

const printed = (given: readonly Word[]): readonly string[] | null => {
  const known = given.map(sole)
  const text = known.join(' ')
  return known.includes(null) || /^-[neE]/.test(text) || text.includes('\\') ? null : [text]
}

const formatted = (given: readonly Word[]) => {
  const known = printed(given.length > 1 && sole(given[0]) === '%s' ? given.slice(1) : given)
  return known?.some((text) => /[%\\]/.test(text)) ? null : known
}

const home: Effect = { does: 'reads', path: plainPath('~') }

export const shells: Rows = {
  'sh bash rbash dash ash ksh lksh mksh oksh ksh93 zsh yash hush posh lash mksh-static bash-static su-sh': {
    shell: true,
    ordered: true,
    options: 'text: o O; read: rcfile init-file',
    operands: 'read maybe',
  },
  '. source': { sources: true, ordered: true, operands: 'read maybe', effects: [{ does: 'sources' }] },
  'echo!': { ...words, stream: 'names', says: true, prints: printed },
  'printf!': { ...words, says: true, prints: formatted },
  'expr seq sleep! type jobs ulimit yes which whereis tty clear getconf uptime free stty tput groups logname arch alias unalias hash bg disown':
    { ...words },
  'true false : unset set shift exit return break continue wait umask getopts times read': { ...words, steering: true },
  'export readonly local': { ...words, steering: true, declares: true },
  'declare typeset': { ...words, declares: true },
  'apropos whatis': { operands: 'text', others: /^-C|^--config/ },
  'whoami!': { ...words, prints: () => ['user'] },
  hostname: { ...words, prints: () => ['host'] },
  'id!': { ...words, prints: () => ['10000'] },
  'uname!': { ...words, prints: () => ['Linux'] },
  nproc: { ...words, prints: () => ['4'] },
  pwd: { ...words, steering: true, prints: ([word], { PWD }) => (word || PWD === undefined ? null : [PWD]) },
  'test [': { ...words, steering: true, dashed: true, options: 'read: b c d e f g h k p r s u w x G L N O S' },
  trap: { operands: 'text', effects: (call) => when(call.operands.length > 1, { does: 'runs', what: 'code' }) },
  'cd chdir': { ...files, steering: true, effects: (call) => when(call.operands.length === 0, home) },
  'pushd popd': { ...files },
}
