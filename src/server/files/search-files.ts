import { setImmediate as nextTurn } from 'node:timers/promises'
import { basename } from 'node:path'
import { firstCharacters, visible } from '../../shared/schema/index.ts'
import { BINARY_BYTES, bytesOf, checkRegular } from './content.ts'
import { factsAt, openFile } from './open-file.ts'
import type { FoundFile } from './walk-files.ts'
import { MAX_FILE_BYTES, type Preselect, preselectedFiles, type SearchStep } from './preselected-files.ts'

/** Maximum size of the text of one answer. */
const MAX_TEXT_BYTES = 200_000
/** A longer line is matched and shown only up to here. */
const MAX_LINE_CHARACTERS = 2000
/** How many characters are matched in one turn of the event loop, times the steps of the pattern. */
const WORK_PER_TURN = 5_000_000

/** A pattern whose time grows with the length of the text times its steps. */
export interface LinePattern {
  test(line: string): boolean
  steps: number
}

export interface SearchOptions {
  /** null: list the files instead of searching in them */
  pattern: LinePattern | null
  /** null: read every file */
  preselect: Preselect | null
  /** whether a path below the start belongs to the search */
  isWanted(path: string): boolean
  showsDotFiles: boolean
  /** lines shown before and after a match */
  context: number
  /** maximum number of matching lines, or of files in a list */
  limit: number
  hides(path: string): boolean
  /** whether the time is up, or the search was canceled */
  isOver(): boolean
}

export interface SearchResult {
  /** `path:line:text` for each match, with `-` instead of `:` for lines around it, and `--` between groups; or the paths */
  text: string
  /** number of matching lines, or of files in a list */
  found: number
  /** number of files that were searched or listed */
  files: number
  /** whether the search stopped early: at a limit or when the time was up */
  truncated: boolean
  /** number of files and directories that could not be read, or were too large */
  skipped: number
}

/** Searches a file, or the files below a directory. Throws VALIDATION_ERROR if the path is neither. */
export async function searchFiles(path: string, options: SearchOptions): Promise<SearchResult> {
  const search = new Search(options)
  const facts = await factsAt(path)
  if (facts.type === 'directory') return search.directory(path)
  checkRegular(facts, path)
  const name = basename(path)
  if (options.isWanted(name)) await search.step({ path: name, read: (maxBytes) => readWhole(path, maxBytes) })
  return search.end(true)
}

async function readWhole(path: string, maxBytes: number): Promise<Buffer | null> {
  const file = await openFile(path)
  try {
    return file.facts.bytes > maxBytes ? null : await bytesOf(file)
  } finally {
    await file.close()
  }
}

/** The state of one search. */
class Search {
  readonly #options: SearchOptions
  readonly #shown: string[] = []
  #shownBytes = 0
  #found = 0
  #files = 0
  #isWhole = true
  #skipped = 0
  #isFull = false

  constructor(options: SearchOptions) {
    this.#options = options
  }

  end(isWhole: boolean): SearchResult {
    const truncated = this.#isFull || !this.#isWhole || !isWhole
    const text = this.#shown.map((line) => `${line}\n`).join('')
    return { text, found: this.#found, files: this.#files, truncated, skipped: this.#skipped }
  }

  async directory(path: string): Promise<SearchResult> {
    const steps = preselectedFiles(path, this.#options)
    try {
      for (let next = await steps.next(); ; next = await steps.next()) {
        if (next.done) return this.end(next.value)
        if (this.#options.isOver()) return this.end(false)
        await this.step(next.value)
        if (this.#isFull) return this.end(false)
      }
    } finally {
      await steps.return(false)
    }
  }

  async step(step: SearchStep): Promise<void> {
    if (step === 'unreadable') this.#skipped++
    else if (step === 'no match') this.#files++
    else await this.#file(step)
  }

  async #file({ path, read }: FoundFile): Promise<void> {
    const { pattern } = this.#options
    if (pattern === null) {
      this.#files++
      if (this.#count()) this.#show(visible(path))
      return
    }
    const bytes = await read(MAX_FILE_BYTES)
    if (bytes === null) {
      this.#skipped++
      return
    }
    if (bytes.subarray(0, BINARY_BYTES).includes(0)) return
    this.#files++
    await this.#lines(visible(path), bytes.toString().split('\n'), pattern)
  }

  /** Searches the lines of a file, and lets other requests run in between. */
  async #lines(path: string, lines: string[], { test, steps }: LinePattern): Promise<void> {
    if (lines.at(-1) === '') lines.pop()
    const matches = new Set<number>()
    let work = 0
    for (const [index, line] of lines.entries()) {
      work += (Math.min(line.length, MAX_LINE_CHARACTERS) + 20) * steps
      if (work > WORK_PER_TURN) {
        work = 0
        await nextTurn()
        this.#isWhole &&= !this.#options.isOver()
        if (!this.#isWhole) break
      }
      if (!test(shortened(line))) continue
      if (!this.#count()) break
      matches.add(index)
    }
    this.#group(path, lines, matches)
  }

  /** Shows matching lines with the lines around them. */
  #group(path: string, lines: string[], matches: Set<number>): void {
    const { context } = this.#options
    let next = -1 // the line after the last one shown; -1: none in this file
    for (const index of matches) {
      const from = Math.max(next, index - context, 0)
      const to = Math.min(lines.length - 1, index + context)
      if (context > 0 && this.#shown.length > 0 && from !== next) this.#show('--')
      for (let at = from; at <= to; at++) {
        const mark = matches.has(at) ? ':' : '-'
        this.#show(`${path}${mark}${at + 1}${mark}${shortened(lines[at]!)}`)
      }
      next = Math.max(next, to + 1)
    }
  }

  /** Counts a match; false: the limit is reached. */
  #count(): boolean {
    if (this.#found === this.#options.limit) this.#isFull = true
    else this.#found++
    return !this.#isFull
  }

  #show(line: string): void {
    this.#shownBytes += Buffer.byteLength(line) + 1
    if (this.#shownBytes > MAX_TEXT_BYTES) this.#isFull = true
    else this.#shown.push(line)
  }
}

/** A line without its CR, cut to the length that is matched and shown. */
const shortened = (line: string): string =>
  firstCharacters(line.endsWith('\r') ? line.slice(0, -1) : line, MAX_LINE_CHARACTERS)
