/**
 * Prints what the suites covered, by module of src: lines, functions and branches, from V8's own coverage of every process that exited
 * (a killed process writes none). c8's reporter cannot map our bundles to their many sources; monocart's can.
 *
 *     node test/slow/coverage-report.mjs FOLDER       FOLDER: NODE_V8_COVERAGE of the run
 */
import { rmSync } from 'node:fs'
import { CoverageReport } from 'monocart-coverage-reports'

const KINDS = ['lines', 'functions', 'branches']
const [, , folder] = process.argv

const report = new CoverageReport({
  reports: ['none'],
  outputDir: `${folder}/report`,
  entryFilter: ({ url }) => /\/(dist|\.compiled)\//.test(url),
  sourceFilter: (path) => path.startsWith('src/'),
  logging: 'error',
})
await report.addFromDir(folder)
const { files } = await report.generate()
const modules = new Map()
for (const { sourcePath, summary } of files.filter((file) => file.sourcePath.startsWith('src/'))) {
  const name = sourcePath.split('/').slice(1, -1).slice(0, 2).join('/') || '(root)'
  const sums = modules.get(name) ?? KINDS.map(() => ({ covered: 0, total: 0 }))
  modules.set(name, sums)
  KINDS.forEach((kind, index) => {
    sums[index].covered += summary[kind].covered
    sums[index].total += summary[kind].total
  })
}
const percent = ({ covered, total }) => (total === 0 ? '-' : `${((100 * covered) / total).toFixed(1)} %`).padStart(8)
console.log(`${'module'.padEnd(18)} ${KINDS.map((kind) => kind.padStart(9)).join(' ')}`)
for (const [name, sums] of [...modules].sort()) {
  console.log(`${name.padEnd(18)} ${sums.map((sum) => ` ${percent(sum)}`).join(' ')}`)
}
rmSync(folder, { recursive: true, force: true })
