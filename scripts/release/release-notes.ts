import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readPackageJson, repositoryOf } from './package-json.ts'

/** Returns the section of CHANGELOG.md about this version. Throws if CHANGELOG.md has no such section. */
export function releaseNotes(root: string): string {
  const { version } = readPackageJson(root)
  const sections = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^(?=## \[)/m)
  const section = sections.find((text) => text.startsWith(`## [${version}]`))
  if (section === undefined)
    throw new Error(`CHANGELOG.md: expected a section "## [${version}]", got none; rename "## [Unreleased]"`)
  return `${section.slice(section.indexOf('\n')).trim()}\n`
}

/** Throws unless this commit can be released under this tag: version, changelog and repository must be set. */
export function checkTag(root: string, tag: string): void {
  const own = readPackageJson(root)
  if (tag !== `v${own.version}`)
    throw new Error(`check: expected the tag v${own.version}, as in package.json, got ${JSON.stringify(tag)}`)
  if (/\.invalid\//.test(`${repositoryOf(own)}/`))
    throw new Error('check: the repository is not set; run npm run release -- set-repository URL')
  releaseNotes(root)
}
