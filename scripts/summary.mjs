import { readFileSync } from 'node:fs'

// tap's own last lines: `# { total: 12, pass: 11, fail: 1 }`; CI reads the plain line below
const [file, status] = process.argv.slice(2)
const counts = /^# \{ (.*) \}$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? ''
const count = (name) => Number(new RegExp(`${name}: (\\d+)`).exec(counts)?.[1] ?? 0)
console.log(`${count('pass')} passed, ${count('fail')} failed, ${count('skip')} skipped`)
process.exitCode = Number(status) || (count('pass') === 0 ? 1 : 0)
