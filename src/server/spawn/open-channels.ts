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

/** The channels of one run that is about to start. Call either `connect` or `discard`, once. */
export interface Channels {
  /** for child_process.spawn */
  stdio: ('ignore' | 'pipe' | number)[]
  /** call when the shell has started; returns our ends of its channels */
  connect(child: ChildProcess): ChildStreams
  /** call when the shell could not be started */
  discard(): void
}

/**
 * Opens named pipes for output, or uses Node's sockets if named pipes are not available. Rejects when no descriptors are left.
 * stdin is always Node's socket: opening `/dev/stdin` by name on a named pipe that has no writer left would block forever.
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
