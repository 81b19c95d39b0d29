import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readPackageJson, repositoryOf } from './package-json.ts'

/** The documents and workflows that contain the address of the repository. */
const textFiles = ['*.md', '*.yml', '*.yaml', 'package.json']

/**
 * Puts the address of the repository into package.json and into every document that names the old one. `author`: NAME <ADDRESS>, needed outside
 * GitHub. Returns the changed files. Throws if the address or the author is invalid.
 */
export function setRepository(root: string, address: string, author: string | undefined): string[] {
  const url = parse(address)
  const [owner, name] = url.pathname.slice(1).split('/') as [string, string]
  const isOnGitHub = url.host === 'github.com'
  if (author === undefined && !isOnGitHub)
    throw new Error(`set-repository ${address}: expected an author ('NAME <ADDRESS>'), got nothing`)
  if (author !== undefined && !/^[^<>]+ <[^<>\s@]+@[^<>\s@]+>$/.test(author)) {
    throw new Error(`set-repository: expected an author like 'NAME <ADDRESS>', got ${JSON.stringify(author)}`)
  }
  const maintainer = author ?? `Shellphone maintainers <${owner}@users.noreply.github.com>`
  const reversed = (isOnGitHub ? 'github.io' : url.host).split('.').reverse().join('.')
  const own = readPackageJson(root)
  const pairs: [from: string, to: string][] = [
    [repositoryOf(own), `${url.origin}/${owner}/${name}`],
    [JSON.stringify(own.author), JSON.stringify(maintainer)],
    [`"mcpName": ${JSON.stringify(own.mcpName)}`, `"mcpName": ${JSON.stringify(`${reversed}.${owner}/${name}`)}`],
  ]
  const files = execFileSync('git', ['ls-files', '-z', ...textFiles], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter(Boolean)
  return files.filter((file) => {
    const path = join(root, file)
    const text = readFileSync(path, 'utf8')
    const fresh = pairs.reduce((all, [from, to]) => all.replaceAll(from, () => to), text)
    if (fresh !== text) writeFileSync(path, fresh)
    return fresh !== text
  })
}

function parse(address: string): URL {
  const url = URL.canParse(address) ? new URL(address.replace(/(\.git)?\/?$/, '')) : null
  if (
    url?.protocol === 'https:' &&
    /^\/[\w.-]+\/[\w.-]+$/.test(url.pathname) &&
    url.search + url.hash + url.username === ''
  )
    return url
  throw new Error(
    `set-repository: expected an address like https://github.com/OWNER/NAME, got ${JSON.stringify(address)}`,
  )
}
