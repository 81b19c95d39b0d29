import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './helper.ts'

/** The indented lines of code under a heading of a document. A blank line begins the next group. */
export function linesUnder(file: string, heading: string): string[][] {
  const text = readFileSync(join(root, file), 'utf8')
  const section = text.split(/^(?=## )/m).find((part) => part.startsWith(`## ${heading}\n`))
  if (section === undefined) throw new Error(`${file} has no section ${heading}`)
  return [...section.matchAll(/(?:^ {4}.*\n)+/gm)].map(([group]) =>
    group
      .trimEnd()
      .split('\n')
      .map((line) => line.slice(4)),
  )
}
