import { readFileSync } from 'node:fs'

// tap's own last lines: `# { total: 12, pass: 11, fail: 1 }`; CI reads the plain last line below
const [file, status] = process.argv.slice(2)
const results = readFileSync(file, 'utf8')
const counts = /^# \{ (.*) \}$/m.exec(results)?.[1] ?? ''
const count = (name) => Number(new RegExp(`${name}: (\\d+)`).exec(counts)?.[1] ?? 0)
for (const failure of failures(results.split('\n'))) console.log(failure)
console.log(`${count('pass')} passed, ${count('fail')} failed, ${count('skip')} skipped`)
process.exitCode = Number(status) || (count('pass') === 0 ? 1 : 0)

/** Each failed assertion as `file > test > assertion` with tap's first lines on it: what a log cut at its end still shows. */
function failures(lines) {
  const path = []
  const found = []
  for (const [index, line] of lines.entries()) {
    const [, indent, subtest, failed] = /^( *)(?:# Subtest: (.*)|not ok \d+ - (.*?)(?: # time=.*)?)$/.exec(line) ?? []
    if (indent === undefined) continue
    const depth = indent.length / 4
    path.length = Math.min(path.length, depth + 1)
    path[depth] = subtest ?? failed
    const name = path.join(' > ')
    if (failed !== undefined && !found.at(-1)?.startsWith(name)) found.push([name, ...toldOf(lines, index)].join('\n'))
  }
  return found
}

function toldOf(lines, index) {
  if (lines[index + 1]?.trim() !== '---') return []
  const end = lines.findIndex((line, at) => at > index && line.trim() === '...')
  return lines.slice(index + 2, Math.min(end, index + 26))
}
