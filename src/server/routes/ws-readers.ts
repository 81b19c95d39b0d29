import type { OutputReader, Watched } from '../exec/index.ts'

/** The output readers of one connection, by run id. They leave when the connection drops. */
export class ConnectionReaders {
  readonly #readers = new Map<string, OutputReader>()

  constructor(private readonly gone: AbortSignal) {
    gone.addEventListener('abort', () => this.#readers.forEach((reader) => reader.leave()))
  }

  /** This connection's reader of the run; from now on the run also waits for it. */
  of(run: Watched): OutputReader {
    const known = this.#readers.get(run.id)
    if (known) return known
    const reader = run.output.reader('reports')
    if (run.output.finished()) return reader
    if (this.gone.aborted) reader.leave()
    this.#readers.set(run.id, reader)
    void Promise.allSettled([run.finished]).then(() => this.#readers.delete(run.id))
    return reader
  }
}
