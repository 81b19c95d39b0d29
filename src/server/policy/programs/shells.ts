/** Shells, and the builtins that only a shell has. */
import { soleOf, type Word } from '../script/script.ts'
import { type Effect, when } from './effect.ts'
import { plainPath } from './paths.ts'
import { readTable } from './table.ts'

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

export const shells = readTable(
  `
sh bash rbash dash ash ksh lksh mksh oksh ksh93 zsh yash hush posh lash mksh-static bash-static su-sh (read maybe) = shell; ordered;
  text: o O; script: rcfile init-file
. source (read maybe) = sources; ordered; does: sources
echo! (text) = plain; stream: names; says
printf! (text) = plain; says
expr seq sleep! type jobs ulimit yes which whereis tty clear getconf uptime free stty tput groups logname arch alias unalias bg disown (text) = plain
hash (text) = plain; read: p; unclear: p
mapfile readarray (text) = plain; text: d n O s u c; code: C; goesOn: C
compgen complete (text) = plain; text: A G P S X o F; code: C W; goesOn: C
enable (text) = plain; read: f; unclear: f
bind (text) = text: m q u r; read: f; unclear: x f
true false : unset set shift exit return break continue wait umask getopts times read (text) = plain; steering
export readonly local (text) = plain; steering; declares
declare typeset (text) = plain; declares
apropos whatis (text) = others: /^-C|^--config/
whoami! hostname id! uname! nproc (text) = plain
pwd (text) = plain; steering
test [ (text) = plain; steering; dashed; read: b c d e f g h k p r s u w x G L N O S
trap (text)
cd chdir (read) = plain; steering
pushd popd (read) = plain
`,
  {
    echo: { prints: printed },
    printf: { prints: formatted },
    whoami: { prints: (_words, { name }) => [likely[name]!] },
    pwd: { prints: ([word], { PWD }) => (word || PWD === undefined ? null : [PWD]) },
    trap: (call) => when(call.operands.length > 1, { does: 'runs', what: 'code' }),
    cd: (call) => when(call.operands.length === 0, home),
  },
)
