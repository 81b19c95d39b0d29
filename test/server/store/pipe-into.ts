import { spawn } from 'node:child_process'
import type { Spool } from '../../../src/server/store/index.ts'

/** Pipes a real command into the spool as the pool does: reading pauses while the disk is behind. */
export const pipeInto = async (spool: Spool, argv: string[]): Promise<void> => {
  const child = spawn(argv[0]!, argv.slice(1), { stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].on('data', async (chunk: Buffer) => {
      const room = spool.append(stream, chunk)
      if (room === undefined) return
      child[stream].pause()
      await room
      child[stream].resume()
    })
  }
  await new Promise((resolve) => child.on('close', resolve))
}
