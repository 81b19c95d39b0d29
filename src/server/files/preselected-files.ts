import { type FoundFile, type WalkedFile, walkFiles, type WalkOptions } from './walk-files.ts'

/**
 * Given paths relative to the start of a search, returns those of the files that may contain a match, or a NUL. It has read all of the others.
 * null: it does not know, so the search reads all of these files.
 */
export type Preselect = (paths: string[]) => Promise<ReadonlySet<string> | null>

/** Larger files are not searched. */
export const MAX_FILE_BYTES = 16_777_216
/** Limits of one batch: files, UTF-8 bytes of their paths, and bytes of their contents. */
const MAX_BATCH = { files: 2000, pathBytes: 80_000, contentBytes: 67_108_864 }
/** For a smaller batch, reading is faster than starting a process. */
const MIN_BATCH = { files: 50, contentBytes: 1_048_576 }
/** A name that is not UTF-8 contains this character, and cannot be opened. */
const NOT_UTF8 = '\ufffd'

/** The next file of a search, or what is known without reading it: `unreadable` also for a directory, `no match` for a text file. */
export type SearchStep = FoundFile | 'unreadable' | 'no match'

interface PreselectedOptions extends Omit<WalkOptions, 'onSkipped'> {
  isWanted(path: string): boolean
  /** null: the search reads every file */
  preselect: Preselect | null
}

/** Yields the steps of a search in a directory, in the order of the walk. Returns whether the walk found everything. */
export async function* preselectedFiles(
  root: string,
  options: PreselectedOptions,
): AsyncGenerator<SearchStep, boolean> {
  const { isWanted, preselect } = options
  let batch = new Batch(preselect)
  const walk = walkFiles(root, { ...options, onSkipped: () => batch.steps.push('unreadable') })
  try {
    for (;;) {
      const { done, value } = await walk.next()
      if (!done && isWanted(value.path)) batch.add(value)
      if (!done && !batch.isFull) continue
      const full = batch
      batch = new Batch(preselect)
      yield* await full.selected()
      if (done) return value
    }
  } finally {
    await walk.return(false) // closes the directories of a search that ends early
  }
}

/** The next steps of a walk, until they are selected together. */
class Batch {
  readonly steps: SearchStep[] = []
  readonly #preselect: Preselect | null
  /** the paths of the files about which `preselect` can know something */
  readonly #paths = new Map<SearchStep, string>()
  #pathBytes = 0
  #contentBytes = 0

  constructor(preselect: Preselect | null) {
    this.#preselect = preselect
  }

  /** Adds a file. Only reading it shows whether the search counts it if it is empty, too large or not regular. */
  add(file: WalkedFile): void {
    this.steps.push(file)
    const size = this.#preselect && file.size()
    if (!size || size > MAX_FILE_BYTES || file.path.includes(NOT_UTF8)) return
    this.#paths.set(file, file.path)
    this.#pathBytes += Buffer.byteLength(file.path)
    this.#contentBytes += size
  }

  get isFull(): boolean {
    return (
      this.#preselect === null ||
      this.steps.length >= MAX_BATCH.files ||
      this.#pathBytes >= MAX_BATCH.pathBytes ||
      this.#contentBytes >= MAX_BATCH.contentBytes
    )
  }

  async selected(): Promise<SearchStep[]> {
    const isSmall = this.#paths.size < MIN_BATCH.files && this.#contentBytes < MIN_BATCH.contentBytes
    if (this.#preselect === null || isSmall) return this.steps
    const named = await this.#preselect([...this.#paths.values()])
    if (named === null) return this.steps
    const isExcluded = (path: string | undefined) => path !== undefined && !named.has(path)
    return this.steps.map((step) => (isExcluded(this.#paths.get(step)) ? 'no match' : step))
  }
}
