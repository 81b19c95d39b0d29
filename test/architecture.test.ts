import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import t from 'tap'

/** The house of README's "Rooms and floors": which room stands on which floor. */
const floors: Record<string, number> = {
  schema: 0,
  dialects: 1,
  policy: 1,
  pool: 1,
  spawn: 1,
  store: 1,
  notify: 1,
  config: 1,
  host: 1,
  exec: 2,
  routes: 3,
  client: 3,
  '.': 4,
}
/** Rooms that decide and touch nothing: no clock, disk, network, environment. */
const pureRooms = ['dialects', 'policy']
const impure =
  /\bfrom 'node:(?!path\b)|\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(|\bprocess\.(env|platform|cwd|argv)|\bMath\.random\(|\bfetch\(/
const MAX_LINES = 250

const source = resolve(import.meta.dirname ?? dirname(new URL(import.meta.url).pathname), '../src')
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
const roomOf = (file: string) => (file.includes('/') ? file.slice(0, file.indexOf('/')) : '.')

function importsOf(file: string): string[] {
  const text = readFileSync(join(source, file), 'utf8')
  const named = [...text.matchAll(/(?:from|import\(|import) ?'(\.[^']+)'/g)].map((match) => match[1]!)
  return named.map((path) => relative(source, resolve(source, dirname(file), path)))
}

/** Why `file` may not import `target`; null when it may. */
function forbidden(file: string, target: string): string | null {
  const [from, to] = [roomOf(file), roomOf(target)]
  if (from === to || target.startsWith('..')) return null
  if (floors[to]! >= floors[from]!) {
    return `src/${file} (floor ${floors[from]}) imports src/${target} (floor ${floors[to]}): imports go down`
  }
  if (target !== `${to}/index.ts`) return `src/${file} imports src/${target}: a room is entered through its index.ts`
  return null
}

t.test('every room stands on a floor', async (t) => {
  for (const file of files) t.ok(roomOf(file) in floors, `src/${file} is in a room of the plan`)
})

t.test('imports go down, and through doors', async (t) => {
  const broken = files.flatMap((file) => importsOf(file).map((target) => forbidden(file, target)))
  t.same(broken.filter(Boolean), [])
  t.ok(forbidden('schema/x.ts', 'exec/index.ts'), 'an import upwards would be found')
  t.ok(forbidden('pool/x.ts', 'spawn/index.ts'), 'an import sideways would be found')
  t.ok(forbidden('exec/x.ts', 'pool/pool.ts'), 'an import past the door would be found')
})

t.test('every door says what its room is for', async (t) => {
  for (const room of Object.keys(floors).filter((name) => name !== '.')) {
    const text = readFileSync(join(source, room, 'index.ts'), 'utf8')
    t.match(text, new RegExp(`^/\\*\\*\\s+(\\* )?${room}: `), `${room}/index.ts opens with its comment`)
  }
})

t.test('files are short', async (t) => {
  for (const file of files) {
    const lines = readFileSync(join(source, file), 'utf8').split('\n').length - 1
    t.ok(lines <= MAX_LINES, `src/${file} has ${lines} lines, at most ${MAX_LINES}`)
  }
})

t.test('rooms that decide touch nothing', async (t) => {
  for (const file of files.filter((file) => pureRooms.includes(roomOf(file)))) {
    t.notMatch(readFileSync(join(source, file), 'utf8'), impure, `src/${file} has no clock, disk, network, environment`)
  }
})
