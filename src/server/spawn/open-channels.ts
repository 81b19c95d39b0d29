import type { ChildProcess } from 'node:child_process'
import { closeSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { closeFifo, type Fifos, type OpenFifo } from './fifos.ts'

/** Our ends of a run's stdin (null: /dev/null) and output. */
export interface ChildStreams {
  stdin: Writable | null
  stdout: Readable
  stderr: Readable
}

/** The channels of one run that is about to start. Exactly one of `connect` and `discard` must be called. */
export interface Channels {
  /** for child_process.spawn */
  stdio: ('ignore' | 'pipe' | number)[]
  /** the shell has started: our ends of its channels */
  connect(child: ChildProcess): ChildStreams
  /** it has not */
  discard(): void
}

/**
 * Output over real pipes, or over Node's sockets where there are no named pipes to be had. Throws where descriptors have run out.
 * stdin is always Node's socket: `/dev/stdin`, opened by name on a named pipe whose writer has gone, would wait for another for ever.
 */
export async function openChannels(stdin: 'null' | 'pipe', fifos: Fifos): Promise<Channels> {
  const opened = await fifos.open(2)
  const input = stdin === 'pipe' ? 'pipe' : 'ignore'
  return opened === null ? socketChannels(input) : fifoChannels(input, opened)
}

function socketChannels(input: 'ignore' | 'pipe'): Channels {
  return {
    stdio: [input, 'pipe', 'pipe'],
    connect: (child) => ({ stdin: child.stdin, stdout: child.stdout!, stderr: child.stderr! }),
    discard: () => {},
  }
}

function fifoChannels(input: 'ignore' | 'pipe', opened: OpenFifo[]): Channels {
  const [stdout, stderr] = opened as [OpenFifo, OpenFifo]
  return {
    stdio: [input, stdout.writeFd, stderr.writeFd],
    connect: (child) => ({ stdin: child.stdin, stdout: toReader(stdout), stderr: toReader(stderr) }),
    discard: () => opened.forEach(closeFifo),
  }
}

function toReader({ readFd, writeFd, release }: OpenFifo): Readable {
  closeSync(writeFd)
  const reader = new Socket({ fd: readFd, readable: true, writable: false })
  return reader.on('close', () => release(reader.readableEnded))
}
