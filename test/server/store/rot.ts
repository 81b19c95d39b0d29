import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { createStore, newRunId, type Store } from '../../../src/server/store/index.ts'
import { DIGEST, options, record, reply, runKeyed } from './world.ts'

interface RotFigures {
  rounds: number
  /** rounds that lost something, all of them named in the warnings */
  noticed: number
  /** messages in plain words; expected to be empty */
  wrong: string[]
  /** keys that would have run a second time */
  keysLost: number
}

interface Truth {
  id: string
  key: string
  /** the text of its reply; null: a crash interrupted the run */
  text: string | null
  stdout: Buffer
}

const RUNS = 60
/** Only whole blocks: output after the last of them has no checksum before the next start. */
const CUT_OFF_BYTES = [131_072, 196_608, 655_360]

const sizes = [0, 20, 3000, 50_000, 90_000, 300_000]

/** A run that never ends. */
const beginCutOff = async (store: Store, bytes: number): Promise<Truth> => {
  const begun = record({ command: `cut off ${bytes}` })
  const key = `cut-${bytes}`
  store.keys.claim(key, DIGEST, begun.id)
  await store.history.begin(begun, { key, digest: DIGEST })
  const stdout = randomBytes(bytes)
  const spool = store.spool(begun.id)
  void spool.append('stdout', stdout.subarray(0, 65_000))
  void spool.append('stdout', stdout.subarray(65_000))
  await spool.finish()
  return { id: begun.id, key, text: null, stdout }
}

/** A home with some segments and some output files, as a crash leaves it. */
const plant = async (directory: string): Promise<Truth[]> => {
  const store = createStore(options(directory))
  const truths: Truth[] = []
  for (let index = 0; index < RUNS; index++) {
    const stdout = Buffer.from(
      randomBytes(sizes[index % sizes.length]!)
        .toString('latin1')
        .slice(0, sizes[index % 6]),
    )
    const key = `key-${index}`
    const command = `echo ${index} ${'word '.repeat(index)}`
    const { id } = await runKeyed(store, [['stdout', stdout]], key, { command })
    truths.push({ id, key, text: null, stdout })
  }
  for (const truth of truths) truth.text = JSON.stringify(await reply(store, truth.id))
  for (const bytes of CUT_OFF_BYTES) truths.push(await beginCutOff(store, bytes))
  store.close()
  return truths
}

const below = (most: number): number => Math.floor(Math.random() * most)

/** One fault of a disk, in one file chosen by its size. */
export const damage = (directory: string): string => {
  const files = fs
    .readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => fs.statSync(path.join(directory, name)).isFile())
  const name = files[below(files.length)]!
  const file = path.join(directory, name)
  const bytes = fs.readFileSync(file)
  const at = below(bytes.length)
  const kinds: Record<string, () => void> = {
    flip: () => {
      bytes[at]! ^= 1 << below(8)
      fs.writeFileSync(file, bytes)
    },
    zeroes: () => fs.writeFileSync(file, Buffer.from(bytes).fill(0, at, Math.min(bytes.length, at + 512))),
    cut: () => fs.truncateSync(file, at),
    empty: () => fs.truncateSync(file, 0),
    'bytes gone': () =>
      fs.writeFileSync(file, Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + below(2000))])),
    'file gone': () => fs.rmSync(file),
  }
  const kind = Object.keys(kinds)[below(Object.keys(kinds).length)]!
  kinds[kind]!()
  return `${kind} ${name} at ${at} of ${bytes.length}`
}

const readAll = async (store: Store, id: string): Promise<Buffer | null> => {
  const parts: Buffer[] = []
  try {
    for await (const { data } of (await store.output(id)).follow({ stdout: 0, stderr: 0 })) parts.push(data)
  } catch {
    return null
  }
  return Buffer.concat(parts)
}

/** Checks that after the damage the store returns either the truth or a loss. */
const check = async (store: Store, truths: Truth[]): Promise<{ lost: number; lies: string[]; keysLost: number }> => {
  let [lost, keysLost] = [0, 0]
  const lies: string[] = []
  for (const { id, key, text, stdout } of truths) {
    const found = await reply(store, id)
    const isWhole =
      found !== null && (text === null ? found.stdout_bytes === stdout.length : JSON.stringify(found) === text)
    const isGone =
      found === null || found.notes.some(({ code }) => code === 'TEXT_NOT_KEPT' || code === 'SERVICE_STOPPED')
    if (!isWhole && !isGone) lies.push(`${id} is changed`)
    const output = await readAll(store, id)
    if (output !== null && !output.equals(stdout) && isWhole) lies.push(`${id} has other output`)
    if (!isWhole || output === null) lost++
    const { outcome, runId } = store.keys.claim(key, DIGEST, newRunId(Date.now()))
    if (outcome !== 'replay' || runId !== id) keysLost++
  }
  return { lost, lies, keysLost }
}

/** Damages one byte, piece or file per round: every loss is named, returned data is true, and no key runs twice. */
export const rot = async (directory: string, rounds: number, print: (line: string) => void): Promise<RotFigures> => {
  const source = path.join(directory, 'source')
  const truths = await plant(source)
  const figures: RotFigures = { rounds, noticed: 0, wrong: [], keysLost: 0 }
  for (let round = 0; round < rounds; round++) {
    const home = path.join(directory, 'home')
    fs.cpSync(source, home, { recursive: true })
    const what = damage(home)
    const store = createStore(options(home))
    const { lost, lies, keysLost } = await check(store, truths)
    const isNamed = store.warnings().length > 0
    if (isNamed) figures.noticed++
    figures.keysLost += keysLost
    if (lies.length > 0) figures.wrong.push(`${what}: ${lies.join(', ')}`)
    if (lost > 0 && !isNamed) figures.wrong.push(`${what}: ${lost} lost without a word`)
    if (keysLost > 0) figures.wrong.push(`${what}: ${keysLost} keys would run again`)
    store.close()
    fs.rmSync(home, { recursive: true })
    if (round % 50 === 49) print(`${round + 1} rounds, ${figures.noticed} noticed, ${figures.wrong.length} wrong`)
  }
  return figures
}
