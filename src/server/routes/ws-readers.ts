import type { OutputReader, Watched } from '../exec/index.ts'

/** The runs that one connection reads, each by its id: what it has taken of them is its own, until it is gone. */
export class ConnectionReaders {
  readonly #readers = new Map<string, OutputReader>()

  constructor(private readonly gone: AbortSignal) {
    gone.addEventListener('abort', () => this.#readers.forEach((reader) => reader.leave()))
  }

  /** This connection as a reader of the run: it waits for that one, too, from now on. */
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
