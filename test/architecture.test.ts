import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { createRequire } from 'node:module'
import t from 'tap'
import type TypeScript from 'typescript'
import { allowedIn, forbidden, importsOf, layers, sourceFiles, filesInNoLayer } from '../scripts/docs/layers.ts'
import { timers } from './support/timers.ts'

/** With `require`: for an import Node would parse all nine megabytes again to find the names of the exports. */
const ts = createRequire(import.meta.url)('typescript') as typeof TypeScript

/** Pure modules: they use no clock, disk, network or environment. */
const pureRooms = ['src/server/dialects', 'src/server/policy']
const impure =
  /\bfrom 'node:(?!path\b)|\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(|\bprocess\.(env|platform|cwd|argv)|\bMath\.random\(|\bfetch\(/
const MAX_LINES = 250
/** The maximum length in lines of a function that returns an object of functions. */
const MAX_CLOSURE_LINES = 60

const root = resolve(import.meta.dirname ?? dirname(new URL(import.meta.url).pathname), '..')
const files = sourceFiles().filter((file) => /\.tsx?$/.test(file))
const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
const textOf = (file: string) => texts.get(file)!
const parse = (file: string, text: string) => ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
const parsed = new Map<string, TypeScript.SourceFile>()
function treeOf(file: string): TypeScript.SourceFile {
  const tree = parsed.get(file) ?? parse(file, textOf(file))
  parsed.set(file, tree)
  return tree
}
/** The files worth parsing: those whose text matches. */
const filesWith = (text: RegExp) => files.filter((file) => text.test(textOf(file)))
const isFile = (file: string) => texts.has(file)
const targetsOf = (file: string) => importsOf(file, textOf(file))

/** The names that the user fixed, those that may be added, and those that npm, git and the build create. */
const topLevel = [
  ...'package.json tsconfig.json src test scripts termux openapi.yaml README.md LICENSE CHANGELOG.md .ci .github'.split(
    ' ',
  ),
  ...'package-lock.json .git .gitignore .tap node_modules dist'.split(' '),
]

t.test('the top level contains only the agreed names', async (t) => {
  const others = readdirSync(root).filter((name) => !topLevel.includes(name) && !name.endsWith('.tgz'))
  t.same(others, [], 'remove it, or add it to topLevel')
})

t.test('every file is in a layer', async (t) => {
  t.same(filesInNoLayer(sourceFiles()), [])
  t.same(filesInNoLayer(['src/server/new/x.ts', 'src/x.ts']).length, 2, 'a file in no layer is found')
})

t.test('imports follow the arrows, and use entry points', async (t) => {
  const broken = sourceFiles().flatMap((file) => importsOf(file).map((target) => forbidden(file, target, isFile)))
  t.same(broken.filter(Boolean), [])
  for (const [what, file, target] of [
    ['upwards', 'src/shared/schema/x.ts', 'src/server/exec/index.ts'],
    ['sideways', 'src/server/pool/x.ts', 'src/server/spawn/index.ts'],
    ['from a file at the root of a folder', 'src/server/tools.ts', 'src/server/serve.ts'],
    ['out of src', 'src/server/spawn/x.ts', 'scripts/build/build.mjs'],
    ['past an entry point', 'src/server/exec/x.ts', 'src/server/pool/pool.ts'],
    ['past the entry point of a layer', 'src/main.ts', 'src/cli/commands/index.ts'],
    ['inside a module', 'src/server/policy/shell/x.ts', 'src/server/policy/guards/risk.ts'],
  ] as const) {
    t.ok(forbidden(file, target, isFile), `an import ${what} is found`)
  }
})

t.test('the arrows form no cycle', async (t) => {
  for (const [folder, lines] of Object.entries(layers)) {
    for (const [name, others] of allowedIn(lines)) t.notOk(others.has(name), `${folder}/${name}`)
  }
})

/** File names that occur more than once in src, except entry points and configurations. */
function namesTwice(paths: readonly string[]): string[] {
  const names = paths.map((path) => basename(path)).filter((name) => name !== 'index.ts')
  return names.filter((name, at) => names.indexOf(name) !== at)
}

t.test('a search for a file name finds one file', async (t) => {
  t.same(namesTwice(sourceFiles()), [])
  t.same(namesTwice(['src/a/x.ts', 'src/b/x.ts', 'src/b/index.ts', 'src/a/index.ts']), ['x.ts'], 'two are found')
})

/** The import cycles, type imports included: each is a list of files that reach each other. */
function circles(edges: Map<string, string[]>): string[][] {
  const reachable = (from: string, seen = new Set<string>()): Set<string> => {
    for (const target of edges.get(from) ?? []) {
      if (seen.has(target)) continue
      seen.add(target)
      reachable(target, seen)
    }
    return seen
  }
  const reach = new Map([...edges.keys()].map((file) => [file, reachable(file)]))
  const found = new Map<string, string[]>()
  for (const [file, targets] of reach) {
    const circle = [...targets].filter((target) => reach.get(target)?.has(file)).sort()
    if (circle.length > 0) found.set(circle.join(), circle)
  }
  return [...found.values()]
}

t.test('has no import cycle, not even of types', async (t) => {
  const found = circles(new Map(files.map((file) => [file, targetsOf(file)])))
  t.same(found, [])
  const [a, b, c] = ['a', 'b', 'c']
  const edges = new Map([
    [a, [b]],
    [b, [c]],
    [c, [b]],
  ] as [string, string[]][])
  t.same(circles(edges), [[b, c]], 'a cycle is found')
})

/** The exports of each file that no other file names. */
function lonelyExports(texts: Map<string, string>): string[] {
  const users = new Map<string, number>()
  for (const text of texts.values()) {
    for (const word of new Set(text.match(/[A-Za-z_$][\w$]*/g))) users.set(word, (users.get(word) ?? 0) + 1)
  }
  const exported = /^export (?:abstract |async )?(?:const|function\*?|class|interface|type) (\w+)/gm
  return [...texts].flatMap(([file, text]) =>
    [...text.matchAll(exported)].flatMap(([, name]) => (users.get(name!) === 1 ? `${file}: ${name}` : [])),
  )
}

t.test('every export has a user', async (t) => {
  const all = new Map<string, string>()
  for (const top of ['src', 'test', 'scripts']) {
    for (const file of readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })) {
      if (/(?<!\.d|config)\.(?:tsx?|mjs)$/.test(file) && !/(^|\/)(node_modules|\.compiled)\//.test(file)) {
        all.set(`${top}/${file}`, readFileSync(join(root, top, file), 'utf8'))
      }
    }
  }
  t.same(lonelyExports(all), [])
  const lonely = new Map([
    ['a.ts', 'export const one = 1\nexport const two = 2'],
    ['b.ts', 'one'],
  ])
  t.same(lonelyExports(lonely), ['a.ts: two'], 'one is found')
})

t.test('every index.ts describes its module', async (t) => {
  for (const door of files.filter((file) => basename(file) === 'index.ts')) {
    const room = basename(dirname(door))
    t.match(textOf(door), new RegExp(`^/\\*\\*\\s+(\\* )?${room}: `), `${door} opens with its comment`)
  }
})

t.test('files are short', async (t) => {
  const lines = files.map((file) => [file, textOf(file).split('\n').length - 1] as const)
  t.same(
    lines.filter(([, count]) => count > MAX_LINES),
    [],
    `at most ${MAX_LINES} lines`,
  )
})

/** Code of a guard that reads a command's name. The allowlist may: it compares the path with the owner's entries. */
const looksAtName = /\bcommand\.name\b|\bprogram\??\.names\b|\{[^}\n]*\bname\b[^}\n]*\}[^\n]*: SimpleCommand/

t.test('guards judge effects, never the name of a command', async (t) => {
  const guards = files.filter((file) => file.startsWith('src/server/policy/guards/'))
  t.same(
    guards.filter((file) => looksAtName.test(textOf(file))),
    [],
  )
  t.match('if (command.name === x)', looksAtName, 'a guard that does is found')
})

t.test('only one function parses options', async (t) => {
  const splits = /startsWith\('--'\)/
  const readers = files.filter((file) => file.startsWith('src/server/policy/') && splits.test(textOf(file)))
  t.same(readers, ['src/server/policy/programs/read-call.ts'])
})

/** The strings, patterns and property names in a file that contain `name` as a word. */
function naming(name: string, tree: TypeScript.SourceFile): string[] {
  const word = new RegExp(`(?<![\\w.~/-])${name}!?(?![\\w.+\\\\-])`)
  const found: string[] = []
  const visit = (node: TypeScript.Node): void => {
    const isKey = ts.isIdentifier(node) && ts.isPropertyAssignment(node.parent) && node.parent.name === node
    const isTemplate = ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)
    const isText = ts.isStringLiteralLike(node) || isTemplate || ts.isRegularExpressionLiteral(node) || isKey
    const text = isText ? node.getText() : ''
    // a sentence for people, not a table
    const isProse = !text.includes('\n') && /[.:…]\s|…['"]$|\.['"]$/.test(text)
    if (!isProse && word.test(text)) found.push(text)
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return found
}

/** Files in which the word is a subcommand or an option of another program: npm rm, npm --git. */
const otherMeanings: Readonly<Record<string, readonly string[]>> = {
  git: ['packages'],
  rm: ['builders', 'containers', 'git', 'packages'],
}

t.test('only one file knows each of the programs git, rm and find', async (t) => {
  for (const [name, home] of Object.entries({ git: 'git', rm: 'files', find: 'find' })) {
    const others = otherMeanings[name] ?? []
    const known = filesWith(new RegExp(`\\b${name}\\b`))
      .filter((file) => file.startsWith('src/server/policy/'))
      .filter((file) => naming(name, treeOf(file)).length > 0)
      .filter((file) => !others.some((other) => file === `src/server/policy/programs/${other}.ts` && other !== home))
    t.same(known, [`src/server/policy/programs/${home}.ts`], name)
  }
  t.same(naming('rm', parse('x.ts', "const x = { 'rm! unlink': /^(?:rm|mv)$/, y: 'Use rm. Or not.' }")).length, 2)
  t.same(
    naming('rm', parse('x.ts', 'const x = [{ names: `\n rm! unlink\n` }, { alters: `add\n${y}\n rm` }]')).length,
    2,
  )
})

t.test('pure modules have no effects', async (t) => {
  const pure = files.filter((file) => pureRooms.some((room) => file.startsWith(`${room}/`)))
  t.same(
    pure.filter((file) => impure.test(textOf(file))),
    [],
    'no clock, disk, network, environment',
  )
})

/** The number of timers in a text: global functions, node:timers/promises, and socket timeouts. */
const countTimers = (text: string): number =>
  text.match(/\bset(?:Timeout|Interval)\(|\bsetTimeout as \w+ \} from 'node:timers/g)?.length ?? 0

t.test('every timer uses a clock that tests can move, or is listed with a reason', async (t) => {
  const found = files.map((file) => [file, countTimers(textOf(file))] as const).filter(([, count]) => count > 0)
  const listed = Object.entries(timers).map(([file, [count]]) => [file, count])
  t.same(Object.fromEntries(found), Object.fromEntries(listed))
  const some = "import { setTimeout as sleep } from 'node:timers/promises'\nsetInterval(x, 1)\nsocket.setTimeout(2)"
  t.equal(countTimers(some), 3, 'new ones are found')
})

/** The closures of a file that are too long, as `createX (lines)`. */
function longClosures(file: string, tree: TypeScript.SourceFile): string[] {
  const found: string[] = []
  const lineAt = (position: number) => tree.getLineAndCharacterOfPosition(position).line
  const visit = (node: TypeScript.Node): void => {
    const isFunction = ts.isFunctionDeclaration(node) || ts.isVariableDeclaration(node)
    const name = isFunction && node.name ? node.name.getText() : ''
    const lines = lineAt(node.end) - lineAt(node.getStart()) + 1
    if (/^create[A-Z]/.test(name) && lines > MAX_CLOSURE_LINES) found.push(`${file}: ${name} (${lines})`)
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return found
}

t.test('closures are short', async (t) => {
  t.same(
    filesWith(/\bcreate[A-Z]/).flatMap((file) => longClosures(file, treeOf(file))),
    [],
  )
  const long = `export function createLong() {${'\n'.repeat(60)}}`
  t.same(longClosures('x.ts', parse('x.ts', long)), ['x.ts: createLong (61)'], 'a long one is found')
})

/** Forced types: `as never`, `as any`, `as unknown as`. */
function forcedTypes(file: string, tree: TypeScript.SourceFile): string[] {
  const found: string[] = []
  const visit = (node: TypeScript.Node): void => {
    if (ts.isAsExpression(node)) {
      const isTwice = ts.isAsExpression(node.expression) && node.expression.type.kind === ts.SyntaxKind.UnknownKeyword
      const isAnything = [ts.SyntaxKind.NeverKeyword, ts.SyntaxKind.AnyKeyword].includes(node.type.kind)
      if (isTwice || isAnything) found.push(`${file}: ${node.getText()}`)
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return found
}

t.test('forces no type', async (t) => {
  t.same(
    filesWith(/\bas\s+(?:never|any|unknown)\b/).flatMap((file) => forcedTypes(file, treeOf(file))),
    [],
  )
  const forced = parse('x.ts', 'f(a as never, b as unknown as C, d as unknown, e as E)')
  t.same(forcedTypes('x.ts', forced).length, 2, 'two are found')
})

t.test('one style for numbers and for functions', async (t) => {
  const uncapital = /^(?:export )?const [a-z]\w* = [-(]*\d.*$/m
  const blockArrow = /^(?:(?:export )?const \w+ = (?:async )?(?:<.*>)?\(.*|\).*) => \{$/m
  t.same(
    files.filter((file) => uncapital.test(textOf(file))),
    [],
    'constant numbers have names in capitals',
  )
  t.same(
    files.filter((file) => blockArrow.test(textOf(file))),
    [],
    'a function with a body is a declaration',
  )
  t.match('export const restMs = 2 * 1000', uncapital, 'one that is not is found')
  t.match('const x = (a) => {', blockArrow, 'one that is not is found')
  t.match('const x = (\n  a,\n): string => {', blockArrow, 'also over several lines')
})
