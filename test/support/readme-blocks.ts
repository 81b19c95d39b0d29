import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './helper.ts'

function sectionOf(file: string, heading: string): string {
  const text = readFileSync(join(root, file), 'utf8')
  const section = text.split(/^(?=## )/m).find((part) => part.startsWith(`## ${heading}\n`))
  if (section === undefined) throw new Error(`${file} has no section ${heading}`)
  return section
}

/** What a document shows as the output of the lines under a heading: its first block of text. */
export function printedUnder(file: string, heading: string): string {
  const [, , printed] = /^(````?)text\n(.*?)^\1$/ms.exec(sectionOf(file, heading)) ?? []
  if (printed === undefined) throw new Error(`${file}: the section ${heading} shows no output`)
  return printed
}

/** The indented lines of code under a heading of a document. A blank line begins the next group. */
export function linesUnder(file: string, heading: string): string[][] {
  return [...sectionOf(file, heading).matchAll(/(?:^ {4}.*\n)+/gm)].map(([group]) =>
    group
      .trimEnd()
      .split('\n')
      .map((line) => line.slice(4)),
  )
}
