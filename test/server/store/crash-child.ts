import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { createStore, newRunId } from '../../../src/server/store/index.ts'
import { options, record } from './world.ts'

const [, , directory] = process.argv
if (directory === undefined) throw new Error('expected the folder to work in')
const store = createStore(options(directory))

/** Prints a line only after the store has confirmed the write. */
const say = (...words: (string | number)[]): void => {
  fs.writeSync(1, `${words.join(' ')}\n`)
}

const chunkBytes = (): number => (Math.random() < 0.7 ? 200 : 40_000)

const runOne = async (): Promise<void> => {
  const begun = record({ id: newRunId(Date.now()) })
  const key = randomBytes(9).toString('base64url')
  store.keys.claim(key, 'body', begun.id)
  await store.history.begin(begun, { key, digest: 'body' })
  say('key', key, begun.id)
  say('begun', begun.id)
  const spool = store.spool(begun.id)
  const hash = createHash('sha256')
  for (let left = Math.floor(Math.random() * 12); left > 0; left--) {
    const chunk = randomBytes(Math.ceil(Math.random() * chunkBytes()))
    hash.update(chunk)
    await spool.append('stdout', chunk)
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 8)) // so that each run is elsewhere when the child is killed
  }
  const summary = await spool.finish()
  const sha256 = summary.stdout.sha256!
  await store.history.end(
    { ...begun, status: 'completed', exit_code: 0, stdout_bytes: summary.stdout.bytes, stdout_sha256: sha256 },
    summary,
  )
  say('answered', begun.id, hash.digest('hex'))
}

const runForEver = async (): Promise<never> => {
  for (;;) await runOne()
}

for (let slot = 0; slot < 20; slot++) void runForEver()
