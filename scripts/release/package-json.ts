import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The fields of a package.json that a release uses. */
export interface PackageJson {
  name: string
  version: string
  description: string
  license: string
  author?: string | { name: string }
  keywords?: string[]
  homepage?: string
  mcpName?: string
  repository?: { type: string; url: string }
  bugs?: { url: string }
  dependencies?: Record<string, string>
  files?: string[]
}

export const readPackageJson = (root: string): PackageJson =>
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** The author as `NAME <ADDRESS>` or as a name alone. */
export const authorOf = ({ author }: PackageJson): string | undefined =>
  typeof author === 'string' ? author : author?.name

/** The repository until `npm run release -- set-repository` sets it; .invalid is reserved, so that nobody can own this address. */
const NO_REPOSITORY = 'https://repository.invalid/owner/shellphone'

/** The address of the repository's web page, from package.json. */
export const repositoryOf = ({ repository }: PackageJson): string =>
  (repository?.url ?? NO_REPOSITORY).replace(/^git\+/, '').replace(/\.git$/, '')
