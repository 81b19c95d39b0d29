/** Random scripts around a few marker commands: well-formed ones, wild ones, and well-formed ones with something broken. */
import { pick, type Random } from '../../support/random.ts'
import { randomWrapper } from './random-wrapper.ts'

export const markers = ['m1', 'm2', 'm3', 'm4', 'm5', 'm6'] as const

const marker = (random: Random) => pick(random, markers)

const tokens =
  `' " \` $ \\ ( ) { } (( )) [[ ]] $( \${ $(( <( >( | || |& & && ; ;; ;& ! # * ? [ ] ~ = < > >> << <<- <<< &> >& >| <> 2>&1 10> if then elif else fi while until for in do done case esac function select time coproc eval exec command trap alias export set -- x= x=m1 a=( a+= a[ x y E 'E' "E" \${x} $x "$x" $1 $@ "$@" $' $" {m1,m2} {m3..m4} -c sh env xargs 1 0 -n : true false . test [ ] \\n`.split(
    ' ',
  )
const gaps = ['', '', ' ', ' ', ' ', '\n', '\t', '; ', ' \\\n']

/** Tokens in any order. */
function wildScript(random: Random): string {
  let script = ''
  const length = 3 + Math.floor(random() * 14)
  for (let index = 0; index < length; index += 1) {
    script += random() < 0.35 ? marker(random) : pick(random, tokens).replace('\\n', '\n')
    script += pick(random, gaps)
  }
  return script
}

type Maker = (random: Random, depth: number) => string

// a placeholder for nested code: only the drawn alternative generates it
const INNER = '\x01'
const filled = (text: string, make: () => string) => text.replaceAll(INNER, () => make())

const name: Maker = (random, depth) => {
  if (random() < 0.2) return randomWrapper(random, () => marker(random))
  const m = marker(random)
  const drawn = pick(random, [
    m,
    m,
    m,
    m,
    m,
    `'${m}'`,
    `"${m}"`,
    `\\${m}`,
    `${m[0]}\\${m[1]}`,
    `${m[0]}"${m[1]}"`,
    `${m[0]}''${m[1]}`,
    `m\\\n${m[1]}`,
    `command ${m}`,
    `exec ${m}`,
    `env ${m}`,
    `env A=b -u X ${m}`,
    `nohup ${m}`,
    `nice -n 1 ${m}`,
    `timeout 5 ${m}`,
    `! ${m}`,
    `time ${m}`,
    `$y ${m}`,
    `x=1 ${m}`,
    `x=$(${marker(random)}) ${m}`,
    `eval ${m}`,
    `eval '${m} a; ${marker(random)}'`,
    `eval "${m}" "$x"`,
    `sh -c '${m}; ${marker(random)} "$1"' a ${marker(random)}`,
    `sh -c "${m}"`,
    `echo a | xargs ${m}`,
    `xargs -n 1 ${m}`,
    `trap '${m}' EXIT;`,
    `trap "${m}" 0;`,
    `f() { ${m}; }; f`,
    `f() ( ${m} ); f a`,
    `x=${m}; $x`,
    `x=${m}; "$x"`,
    `set -- ${m}; "$@"`,
    `set -- ${m}; $1`,
    `$(echo ${m})`,
    `alias q=${m}\nq`,
    `\${x:-${m}}`,
    `$'${m}'`,
    `echo ${m} |sh`,
    `function ${m}`,
    `{${m},x}`,
    `builtin ${m}`,
    `busybox ${m}`,
    depth > 0 ? `$(${INNER})` : m,
  ])
  return filled(drawn, () => list(random, depth - 1))
}

const word: Maker = (random, depth) => {
  const m = marker(random)
  const drawn = pick(random, [
    'a',
    m,
    `'${m}'`,
    `'$(${m})'`,
    `"$(${INNER})"`,
    `$(${INNER})`,
    `\`${m}\``,
    `"\`${m} a\`"`,
    `"a $x $(${m})"`,
    `\${x:-$(${m})}`,
    `"\${x:-$(${m})}"`,
    `"\${x:-'$(${m})'}"`,
    `\${x#"$(${m})"}`,
    `\${x:-'}'$(${m})}`,
    `"\${x+"$(${m})"}"`,
    `$((1 + $(${m})))`,
    `$(( x ))`,
    `$((1))`,
    `\\$(${m})`,
    `"\\$(${m})"`,
    `"\\\\$(${m})"`,
    `'a'\\''$(${m})'`,
    `$'a\\'; ${m}; #'`,
    `$"$(${m})"`,
    `<(${m})`,
    `{a,$(${m})}`,
    `*`,
    `[a-z]`,
    `~`,
    `#${m}`,
    `a#$(${m})`,
    `"#"`,
    `;${m}`,
    `&${m}`,
    `!(${m})`,
    `@(${m}|a)`,
    `\${x/${m}/$(${m})}`,
    `\${#x}`,
    `\${x@P}`,
    `"$(echo "$(${m})")"`,
    `"\`echo \\\`${m}\\\`\`"`,
    `\`echo "\`${m}\`"\``,
    `a\\\n${m}`,
    `"a\n${m}\n"`,
    `'a\n${m}\n'`,
    `$(# ${m}\n${m})`,
    `$(case a in a) ${m};; esac)`,
    `$(cat <<E\n${m} $(${m})\nE\n)`,
    `"$(cat <<'E'\n${m} ' $(${m})\nE\n)"`,
    `a=(${m})`,
    `x[$(${m})]`,
    `$[ $(${m}) ]`,
    `\${ ${m}; }`,
    `$\\\n(${m})`,
    `$\\\n{x:-$(${m})}`,
    `"$\\\n(${m})"`,
  ])
  return filled(drawn, () => (depth > 0 ? list(random, depth - 1) : m))
}

const redirection: Maker = (random, depth) =>
  pick(random, [
    '>o1',
    '>>o1',
    '2>&1',
    '</dev/null',
    `>"o$(${marker(random)})"`,
    '&>o1',
    '>&o1',
    '>|o1',
    '<>o1',
    '10>o1',
    '{fd}>o1',
    `<<<${word(random, 0)}`,
    `<<E\n${body(random, depth)}\nE\n`,
    `<<'E'\n${body(random, depth)}\nE\n`,
    `<<"E"\n${body(random, depth)}\nE\n`,
    `<<\\E\n${body(random, depth)}\nE\n`,
    `<<-E\n\t${body(random, depth)}\n\tE\n`,
    `<<E\n${body(random, depth)}`,
    `<<E <<F\n${marker(random)}\nE\n$(${marker(random)})\nF\n`,
    `<<$x\na\n$x\n`,
    '2>/dev/null',
    '<&0',
    '>&2',
    '1>&-',
  ])

const body: Maker = (random) => {
  const m = marker(random)
  return pick(random, [
    'text',
    m,
    `$(${m})`,
    `\`${m}\``,
    `\\$(${m})`,
    `\${x:-$(${m})}`,
    `\${x:-'$(${m})'}`,
    `\${x:-"$(${m})"}`,
    `it's $(${m})`,
    `"$(${m})`,
    `E\n${m}`,
    ` E\n$(${m})`,
    `\\\n$(${m})`,
    `$((1+$(${m})))`,
    `'$(${m})'`,
    `a\\`,
    `$(echo ')' ${m})`,
  ])
}

const simple: Maker = (random, depth) => {
  let text = name(random, depth)
  const words = Math.floor(random() * 3)
  for (let index = 0; index < words; index += 1) text += ` ${word(random, depth)}`
  return random() < 0.2 ? `${text} ${redirection(random, depth)}` : text
}

// after some of these a shell continues, after some it does not, and shells differ
const endings = [
  'exec 2>/dev/null',
  'exec',
  'exec >no/x',
  'exec 3<&0',
  'shopt -s execfail; exec nox',
  'return',
  'return 1',
  'exit >no/x',
  'exit --help',
  'exit x',
  'exec -a x',
  'f() { return; }; f',
  '(exit)',
]

const compound: Maker = (random, depth) => {
  const one = () => list(random, depth - 1)
  return pick(random, [
    () => `{ ${one()}; }`,
    () => `{ ${one()}\n}`,
    () => `( ${one()} )`,
    () => `(${one()})`,
    () => `((${one()}))`,
    () => `( (${one()}) )`,
    () => `if ${one()}; then ${one()}; fi`,
    () => `if ${one()}\nthen ${one()}\nelse ${one()}\nfi`,
    () => `if m1; then m2; elif ${one()}; then ${one()}; else m3; fi`,
    () => `while ${one()}; do ${one()}; break; done`,
    () => `until ${one()}; do ${one()}; break; done`,
    () => `for x in a ${word(random, 0)}; do ${one()}; done`,
    () => `for x in ${word(random, 0)}\ndo ${one()}\ndone`,
    () => `for x; do ${one()}; done`,
    () => `for x in a; { ${one()}; }`,
    () => `for ((i=0;i<1;i++)); do ${one()}; done`,
    () => `case a in a) ${one()};; esac`,
    () => `case ${word(random, 0)} in (a|b) ${one()} ;; *) ${one()}\nesac`,
    () => `case a in a) m1;& *) ${one()};; esac`,
    () => `case "$x" in $(${marker(random)})) ${one()};; *) ${one()};; esac`,
    () => `f() { ${one()}; }\nf`,
    () => `f () if ${one()}; then ${one()}; fi; f`,
    () => `function f { ${one()}; }\nf`,
    () => `[[ a || ${one()} ]]`,
    () => `(( 1 || ${marker(random)} ))`,
    () => `! ${one()}`,
    () => `time { ${one()}; }`,
    () => `{ ${one()}; } ${redirection(random, 0)}`,
    () => `select x in a; do ${one()}; break; done`,
    () => `coproc ${one()}`,
    () => `f() ${marker(random)}; f`,
    () => `m1() { ${one()}; }; m1; unset -f m1; m1`,
    () => `${pick(random, endings)}; ${one()}`,
  ])()
}

const list: Maker = (random, depth) => {
  const count = 1 + Math.floor(random() * 3)
  let text = ''
  for (let index = 0; index < count; index += 1) {
    const part = depth > 0 && random() < 0.4 ? compound(random, depth) : simple(random, depth)
    text +=
      index === 0
        ? part
        : pick(random, ['; ', '\n', ' && ', ' || ', ' | ', ' |& ', ' & ', ' &&\n', ' |\n', ' # c\n', ';', '&&']) + part
  }
  return random() < 0.05 ? `${text} &` : text
}

/** A script that mostly parses, built from quoting, expansion and grouping around markers. */
function formedScript(random: Random): string {
  return list(random, 1 + Math.floor(random() * 3))
}

/** A script of one of the three kinds. */
export function randomScript(random: Random): string {
  const kind = random()
  if (kind < 0.2) return wildScript(random)
  const script = formedScript(random)
  if (kind < 0.75) return script
  const at = Math.floor(random() * script.length)
  if (random() < 0.5) return script.slice(0, at) + script.slice(at + 1)
  return script.slice(0, at) + pick(random, tokens).replace('\\n', '\n') + script.slice(at)
}

/** A script with what a request can add to it. */
export interface RandomRun {
  script: string
  /** null: no input */
  stdin: string | null
  /** whether the parser sees an open input, whose content is unknown */
  open: boolean
  additions: Readonly<Record<string, string>>
}

const stdin: Maker = (random) => {
  const [one, other] = [marker(random), marker(random)]
  return pick(random, [`${one}`, `${one} ${other}\n`, `a\n${one} b\n${other}\n`, list(random, 1), `'\n${one}`, ''])
}

// names that scripts use, that shells read, and that make programs run others
const variable: Maker = (random) => {
  const m = marker(random)
  return pick(random, [
    `x=${m}`,
    `x=$(${m})`,
    `x=a; ${m}`,
    `y=${m}`,
    `y=env ${m}`,
    'y=',
    `IFS=${pick(random, ['m', 'a', ' ', ';'])}`,
    `PS4=$(${m})`,
    `ENV=$(${m})`,
    `BASH_ENV=$(${m})`,
    `GIT_PAGER=${m}`,
    `CDPATH=/`,
    `HOME=${m}`,
    `a=${m}[$(${m})]`,
  ])
}

/** A random script; two thirds have standard input or variables of their own. */
export function randomRun(random: Random): RandomRun {
  const script = randomScript(random)
  const reads =
    random() < 0.2
      ? `${pick(random, ['sh', 'cat | sh', 'read x; $x', 'xargs', '. /dev/stdin', 'xargs -n 1 env'])}; `
      : ''
  const count = random() < 0.4 ? 1 + Math.floor(random() * 2) : 0
  const pairs = Array.from({ length: count }, () => variable(random, 0).split(/=(.*)/s, 2) as [string, string])
  return {
    script: reads + script,
    stdin: random() < 0.5 ? stdin(random, 1) : null,
    open: random() < 0.2,
    additions: Object.fromEntries(pairs),
  }
}
