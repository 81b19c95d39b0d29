import { RE2JS } from 're2js'
import type { Caller } from '../exec/index.ts'
import { factsAt, globTest, type LinePattern, searchFiles } from '../files/index.ts'
import { patternError, stepsOf } from '../policy/index.ts'
import { Deadline, elapsedClock } from '../../shared/async/index.ts'
import { type FileSearchRequest, type FileSearchResult, invalid } from '../../shared/schema/index.ts'
import { beginFileRun, type FileRun, type FileToolParts } from './file-run.ts'

const DEFAULT_LIMIT = 100
const MAX_SEARCH_MS = 20_000
/** The service stays responsive during a search only if a line needs few steps. */
const MAX_STEPS = 500

/** Searches files for lines that match a pattern, or lists them. */
export async function searchIn(
  { path: given, pattern, glob, ignore_case = false, context = 0, limit = DEFAULT_LIMIT, sandbox }: FileSearchRequest,
  caller: Caller,
  { executor }: FileToolParts,
): Promise<FileRun<FileSearchResult>> {
  const matcher = pattern === undefined ? null : toMatcher(pattern, ignore_case)
  const isWanted = glob === undefined ? () => true : globTest(glob)
  const path = await executor.resolvePath(given, true)
  await factsAt(path)
  const showsDotFiles = glob !== undefined && /(^|\/)!?\./.test(glob)
  return beginFileRun(
    {
      targets: [pattern === undefined ? { act: 'find', path } : { act: 'search', path, argument: pattern }],
      sandbox,
      async work({ canceled, hides }) {
        const deadline = new Deadline(MAX_SEARCH_MS, elapsedClock)
        const isOver = () => canceled.aborted || deadline.leftMs() <= 0
        const found = await searchFiles(path, {
          pattern: matcher,
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
  const expression = RE2JS.compile(pattern, isCaseIgnored ? RE2JS.CASE_INSENSITIVE : 0)
  return { steps, test: (line) => expression.matcher(line).find() }
}

function summary({ found, files, skipped, truncated }: FileSearchResult, isSearch: boolean): string {
  const what = isSearch ? `${found} matching lines in ${files} files` : `${found} files`
  const more = truncated ? ', more were not searched: narrow the path, glob or pattern' : ''
  const left = skipped > 0 ? `, ${skipped} could not be read or are too large` : ''
  return `${what}${more}${left}`
}
