import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { createStore, newRunId, type Store } from '../../../src/server/store/index.ts'
import { options, reply } from './world.ts'

interface CrashFigures {
  rounds: number
  begun: number
  answered: number
  interrupted: number
  /** messages in plain words; expected to be empty */
  wrong: string[]
  slowestOpenMs: number
}

const buildChild = (directory: string): string => {
  const outfile = path.join(directory, 'child.mjs')
  const source = fileURLToPath(new URL('./crash-child.ts', import.meta.url))
  buildSync({ entryPoints: [source], bundle: true, platform: 'node', format: 'esm', outfile })
  return outfile
}

/** The most lines that a child prints before it is killed; each run prints three. */
const MAX_LINES = 150
/** The time between the last line that the child prints and its death, so that it can die anywhere. */
const MAX_LATE_MS = 5

/** Lets the child work until it has printed this many lines, kills it, and returns the complete lines that it printed. */
const workAndDie = async (child: string, directory: string, lines: number): Promise<string[]> => {
  const working = spawn(process.execPath, [child, directory], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  await new Promise<void>((resolve) => {
    let isDying = false
    working.stdout.on('data', (chunk: Buffer) => {
      said += chunk
      if (isDying || said.split('\n').length <= lines) return
      isDying = true
      setTimeout(() => working.kill('SIGKILL'), Math.random() * MAX_LATE_MS)
    })
    working.on('close', resolve)
  })
  return said.split('\n').slice(0, -1)
}

const digestOf = async (store: Store, id: string): Promise<string> => {
  const hash = createHash('sha256')
  for await (const { data } of (await store.output(id)).follow({ stdout: 0, stderr: 0 })) hash.update(data)
  return hash.digest('hex')
}

const checkRun = async (store: Store, id: string, answered: string | undefined): Promise<string | null> => {
  const record = await reply(store, id)
  if (record === null) return `${id} is not known`
  if (record.status === 'failed' && answered === undefined) {
    return record.notes.some(({ code }) => code === 'SERVICE_STOPPED') ? null : `${id} has no note`
  }
  if (record.status !== 'completed') return `${id} is ${record.status}`
  const digest = await digestOf(store, id)
  return digest === (answered ?? record.stdout_sha256) ? null : `${id} has other bytes`
}

/** Repeats `kill -9` during twenty runs in one folder and checks every confirmed write after each kill. */
export const crash = async (
  directory: string,
  rounds: number,
  print: (line: string) => void,
): Promise<CrashFigures> => {
  const child = buildChild(directory)
  const home = path.join(directory, 'home')
  const figures: CrashFigures = { rounds, begun: 0, answered: 0, interrupted: 0, wrong: [], slowestOpenMs: 0 }
  for (let round = 0; round < rounds; round++) {
    const said = (await workAndDie(child, home, 1 + Math.random() * MAX_LINES)).map((line) => line.split(' '))
    const answered = new Map(said.filter(([word]) => word === 'answered').map(([, id, digest]) => [id!, digest!]))
    const startMs = performance.now()
    const store = createStore(options(home))
    figures.slowestOpenMs = Math.max(figures.slowestOpenMs, performance.now() - startMs)
    for (const [word, first, second] of said) {
      if (word === 'begun') {
        figures.begun++
        const wrong = await checkRun(store, first!, answered.get(first!))
        if (wrong !== null) figures.wrong.push(`round ${round}: ${wrong}`)
      }
      if (word !== 'key') continue
      if ((await reply(store, second!)) === null) figures.wrong.push(`round ${round}: key ${first} has no run`)
      const reservation = store.keys.claim(first!, 'body', newRunId(Date.now()))
      if (reservation.outcome !== 'replay' || reservation.runId !== second) {
        figures.wrong.push(`round ${round}: key ${first} was lost`)
      }
    }
    figures.answered += answered.size
    figures.interrupted += store.history.interrupted.length
    store.close()
    if (round % 20 === 19) print(JSON.stringify({ ...figures, rounds: round + 1 }))
  }
  return figures
}
