import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { documentsWithTables } from '../scripts/docs/tables.ts'
import { root } from './support/helper.ts'

/** README.md, the documents that it links to, and those for GitHub. */
const papers = ['README.md', ...['src', 'termux', 'scripts'].flatMap(papersIn), ...githubPapers()]

function papersIn(folder: string): string[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
  return files.filter((name) => /^[A-Z]+\.md$/.test(basename(name))).map((name) => `${folder}/${name}`)
}

function githubPapers(): string[] {
  const names = readdirSync(join(root, '.github')).filter((name) => name.endsWith('.md'))
  return names.map((name) => `.github/${name}`)
}

/** GitHub's anchor for a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

const headingsOf = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading!))

t.test('links in the documents have a target', async (t) => {
  let count = 0
  const broken: string[] = []
  for (const paper of papers) {
    const text = readFileSync(join(root, paper), 'utf8').replace(/^```.*?^```/gms, '')
    for (const [, link] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(link!)) continue
      const [path, anchor] = link!.split('#') as [string, string?]
      const target = path === '' ? join(root, paper) : join(root, dirname(paper), path)
      if (!existsSync(target) || (anchor && !headingsOf(target).includes(anchor))) broken.push(`${paper}: ${link}`)
      count += 1
    }
  }
  t.same(broken, [])
  t.ok(count > 0, `${count} links`)
})

t.test('every module has a README', async (t) => {
  const index = readFileSync(join(root, 'src/README.md'), 'utf8')
  for (const folder of ['src', 'src/server', 'src/fleet']) {
    const rooms = readdirSync(join(root, folder), { withFileTypes: true }).filter((entry) => entry.isDirectory())
    for (const { name } of rooms) {
      t.ok(papers.includes(`${folder}/${name}/README.md`), name)
      t.match(index, `(${`${folder}/${name}/README.md`.slice(4)})`, `src/README.md links to ${name}`)
    }
  }
})

t.test('README.md can be read in one sitting', async (t) => {
  const lines = readFileSync(join(root, 'README.md'), 'utf8').split('\n').length - 1
  t.ok(lines <= 130, `${lines} lines`)
})

t.test('scripts/README.md names every script', async (t) => {
  const text = readFileSync(join(root, 'scripts/README.md'), 'utf8')
  const names = [...text.matchAll(/`([\w.*-]+)`/g)].map(([, name]) => name!.replaceAll('.', '\\.').replace('*', '.*'))
  const pattern = new RegExp(`^(${names.join('|')}|README\\.md|.*\\.d\\.mts)$`)
  const scripts = readdirSync(join(root, 'scripts'), { recursive: true, withFileTypes: true })
  for (const { name } of scripts.filter((entry) => !entry.isDirectory())) t.match(name, pattern)
  t.notMatch('drill-nobody.ts', pattern, 'a missing one is found')
})

t.test('workflows pin actions by commit, and run scripts of this repository', async (t) => {
  const folder = join(root, '.github/workflows')
  /** the only command that is not a script: without git, there is no checkout to run a script from */
  const allowed = 'apt-get update && apt-get install -y --no-install-recommends ca-certificates git'
  for (const file of readdirSync(folder)) {
    const text = readFileSync(join(folder, file), 'utf8')
    for (const [, action] of text.matchAll(/uses: (.*)/g)) {
      t.match(action, /^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/, file)
    }
    for (const [, command] of text.matchAll(/run: (.*)/g)) {
      if (command === allowed) continue
      const [, script] = /\bsh ((?:scripts|\.ci)\/[\w./-]+)/.exec(command!) ?? []
      t.ok(script && existsSync(join(root, script)), `${file}: ${command}`)
    }
    t.match(text, /^permissions:\n {2}contents: read$/m, `${file}: read-only by default`)
  }
})

t.test('the tables match the code', async (t) => {
  for (const [file, text] of await documentsWithTables(pathToFileURL(`${root}/`))) {
    t.equal(readFileSync(join(root, file), 'utf8'), text, `${file}: npm run docs has been run`)
  }
})
