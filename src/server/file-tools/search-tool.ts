import { re2 } from '../../shared/package/index.ts'
import type { Caller } from '../exec/index.ts'
import { factsAt, globTest, type LinePattern, searchFiles } from '../files/index.ts'
import { patternError, stepsOf } from '../policy/index.ts'
import { elapsedClock } from '../../shared/async/index.ts'
import { type FileSearchRequest, type FileSearchResult, invalid } from '../../shared/schema/index.ts'
import { beginFileRun, type FileRun, type FileToolParts } from './file-run.ts'
import { createPreselection } from './preselect-files.ts'
import { weakerPattern } from './weaker-pattern.ts'

const DEFAULT_LIMIT = 100
const MAX_SEARCH_MS = 20_000
/** The service stays responsive during a search only if a line needs few steps. */
const MAX_STEPS = 500

export interface SearchParts extends FileToolParts {
  /** the absolute path of ripgrep; null: not installed */
  ripgrep: string | null
}

/** Searches files for lines that match a pattern, or lists them. */
export async function searchIn(
  { path: given, pattern, glob, ignore_case = false, context = 0, limit = DEFAULT_LIMIT, sandbox }: FileSearchRequest,
  caller: Caller,
  { executor, ripgrep }: SearchParts,
): Promise<FileRun<FileSearchResult>> {
  const matcher = pattern === undefined ? null : toMatcher(pattern, ignore_case)
  const weaker = pattern === undefined ? null : weakerPattern(pattern, ignore_case)
  const isWanted = glob === undefined ? () => true : globTest(glob)
  const path = await executor.resolvePath(given, true)
  await factsAt(path)
  const showsDotFiles = glob !== undefined && /(^|\/)!?\./.test(glob)
  return beginFileRun(
    {
      targets: [pattern === undefined ? { act: 'find', path } : { act: 'search', path, argument: pattern }],
      sandbox,
      async work({ canceled, hides, runHelper }) {
        const began = elapsedClock.now()
        const canSelect = weaker !== null && ripgrep !== null && runHelper !== null
        const selection = canSelect ? createPreselection(weaker, path, ripgrep, runHelper) : null
        const maxMs = () => MAX_SEARCH_MS + (selection?.lostMs() ?? 0)
        const isOver = () => canceled.aborted || elapsedClock.now() - began >= maxMs()
        const found = await searchFiles(path, {
          pattern: matcher,
          preselect: selection?.preselect ?? null,
          isWanted,
          showsDotFiles,
          context,
          limit,
          hides,
          isOver,
        })
        if (canceled.aborted) throw new Error('canceled before the search was complete')
        const result = { path, ...found }
        return {
          result,
          text: `${found.text}[${summary(result, pattern !== undefined)}]\n`,
          artifacts: [],
        }
      },
    },
    caller,
    executor,
  )
}

function toMatcher(pattern: string, isCaseIgnored: boolean): LinePattern {
  const steps = stepsOf(pattern)
  const error =
    patternError(pattern) ?? (steps > MAX_STEPS ? `expands to ${steps} steps, more than ${MAX_STEPS}` : null)
  if (error !== null) throw invalid(`pattern: ${error}`, 'pattern')
  const expression = re2().compile(pattern, isCaseIgnored ? re2().CASE_INSENSITIVE : 0)
  return { steps, test: (line) => expression.matcher(line).find() }
}

function summary({ found, files, skipped, truncated }: FileSearchResult, isSearch: boolean): string {
  const what = isSearch ? `${found} matching lines in ${files} files` : `${found} files`
  const more = truncated ? ', more were not searched: narrow the path, glob or pattern' : ''
  const left = skipped > 0 ? `, ${skipped} could not be read or are too large` : ''
  return `${what}${more}${left}`
}
