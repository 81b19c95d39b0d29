/** Shells, and the builtins that only a shell has. */
import { valuesOf, type Word } from '../shell/script.ts'
import { plainPath } from './paths.ts'
import type { Program } from './program.ts'

const sole = (word: Word | undefined) => {
  const values = word && valuesOf(word)
  return values?.length === 1 ? values[0]! : null
}

const printed = (words: readonly Word[]): readonly string[] | null => {
  const known = words.map(sole)
  const text = known.join(' ')
  return known.includes(null) || /^-[neE]/.test(text) || text.includes('\\') ? null : [text]
}

export const shells: readonly Program[] = [
  {
    names: 'sh bash rbash dash ash ksh lksh mksh oksh ksh93 zsh yash hush posh lash mksh-static bash-static su-sh',
    shell: true,
    ordered: true,
    options: { text: 'o O', read: 'rcfile init-file' },
    operands: 'read maybe',
  },
  { names: '. source', sources: true, ordered: true, operands: 'read maybe', effects: () => [{ does: 'sources' }] },
  { names: 'echo', operands: 'text', stream: 'names', says: true, prints: printed, others: null },
  {
    names: 'printf',
    operands: 'text',
    says: true,
    others: null,
    prints: (words) => {
      const known = printed(words.length > 1 && sole(words[0]) === '%s' ? words.slice(1) : words)
      return known?.some((text) => /[%\\]/.test(text)) ? null : known
    },
  },
  {
    names:
      'expr seq sleep type jobs ulimit yes which whereis tty clear getconf uptime free stty tput groups logname arch alias unalias hash bg disown',
    operands: 'text',
    others: null,
  },
  {
    names: 'true false : unset set shift exit return break continue wait umask getopts times read',
    steering: true,
    operands: 'text',
    others: null,
  },
  { names: 'export readonly local', steering: true, operands: 'text', declares: true, others: null },
  { names: 'declare typeset', operands: 'text', declares: true, others: null },
  { names: 'apropos whatis', operands: 'text', others: /^-C|^--config/ },
  { names: 'whoami', operands: 'text', others: null, prints: () => ['user'] },
  { names: 'hostname', operands: 'text', others: null, prints: () => ['host'] },
  { names: 'id', operands: 'text', others: null, prints: () => ['10000'] },
  { names: 'uname', operands: 'text', others: null, prints: () => ['Linux'] },
  { names: 'nproc', operands: 'text', others: null, prints: () => ['4'] },
  {
    names: 'pwd',
    steering: true,
    operands: 'text',
    others: null,
    prints: (words, { PWD }) => (words.length === 0 && PWD !== undefined ? [PWD] : null),
  },
  {
    names: 'test [',
    steering: true,
    dashed: true,
    options: { read: 'b c d e f g h k p r s u w x G L N O S' },
    operands: 'text',
    others: null,
  },
  {
    names: 'trap',
    operands: 'text',
    effects: (call) => (call.operands.length > 1 ? [{ does: 'runs', what: 'code' }] : []),
  },
  {
    names: 'cd chdir',
    steering: true,
    operands: 'read',
    others: null,
    effects: (call) => (call.operands.length > 0 ? [] : [{ does: 'reads', path: plainPath('~') }]),
  },
  { names: 'pushd popd', operands: 'read', others: null },
]
