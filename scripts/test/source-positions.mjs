import { existsSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, relative, resolve } from 'node:path'

/** A line and column in a compiled file, with its path relative to the root or as a file: URL. */
const POSITION = /(?:file:\/\/)?([^\s():]+\.mjs):(\d+):(\d+)/g

const maps = new Map()
/** The source map of a compiled file; null: none. */
function mapOf(file) {
  if (!maps.has(file)) {
    const isMapped = existsSync(`${file}.map`)
    maps.set(file, isMapped ? new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8'))) : null)
  }
  return maps.get(file)
}

/**
 * Replaces positions in compiled suites by those in their sources, as `test/server/pool.test.ts:12:3`, and omits lines of packages. Node's
 * --enable-source-maps does the same, but reads every map at every start, which costs 0.15 s of CPU for each suite.
 */
export function mapPositions(root, text) {
  const lines = text.split('\n').map((line) =>
    line.replace(POSITION, (position, path, row, column) => {
      const file = resolve(root, path)
      const entry = mapOf(file)?.findEntry(Number(row) - 1, Number(column) - 1)
      if (entry?.originalSource === undefined) return position
      const source = relative(root, resolve(dirname(file), entry.originalSource))
      return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
    }),
  )
  return lines.filter((line) => !/\bnode_modules\/.*:\d+:\d+/.test(line)).join('\n')
}
