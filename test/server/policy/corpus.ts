import { readFileSync } from 'node:fs'

/** One script of a corpus, with the tags in the heading above it. */
export interface CorpusScript {
  about: string
  tags: readonly string[]
  script: string
}

/** One case in which an allowed program runs another: the script, and what the request adds to it. */
export interface RunsOthersCase extends CorpusScript {
  /** the name that an allowlist would contain */
  program: string
  stdin: string | null
  additions: Readonly<Record<string, string>>
}

/** Reads `<name>.txt`: `# remark`, `## heading [tags]`, else one script a line, with ↵ for a line break and ⇥ for a tab. */
export function readCorpus(
  name: 'ordinary' | 'evasion' | 'outside' | 'runs-others' | 'runs-others-rare',
): CorpusScript[] {
  const lines = readFileSync(new URL(`../../fixtures/policy/${name}.txt`, import.meta.url), 'utf8').split('\n')
  const scripts: CorpusScript[] = []
  let heading = { about: '', tags: [] as string[] }
  for (const line of lines) {
    const title = /^## (.*?)(?: \[(.*)\])?$/.exec(line)
    if (title) heading = { about: title[1]!, tags: title[2]?.split(' ') ?? [] }
    else if (line !== '' && !/^# /.test(line)) {
      scripts.push({ ...heading, script: line.replaceAll('↵', '\n').replaceAll('⇥', '\t') })
    }
  }
  return scripts
}

/** An example for a rule, from rules.txt: after `## guard rule`, `+ script` must match and `- script` must not. */
interface RuleExample {
  guard: string
  rule: string
  applies: boolean
  script: string
}

/** Reads rules.txt. */
export function readRuleExamples(): RuleExample[] {
  const lines = readFileSync(new URL('../../fixtures/policy/rules.txt', import.meta.url), 'utf8').split('\n')
  const examples: RuleExample[] = []
  let [guard, rule] = ['', '']
  for (const line of lines) {
    const title = /^## (\S+) (\S+)$/.exec(line)
    if (title) [guard, rule] = [title[1]!, title[2]!]
    else if (/^[-+] /.test(line)) {
      const script = line.slice(2).replaceAll('↵', '\n').replaceAll('⇥', '\t')
      examples.push({ guard, rule, applies: line.startsWith('+'), script })
    }
  }
  return examples
}

/** Reads the cases of `<name>.txt`, whose lines may end in fields: `▸ stdin=TEXT`, `▸ env NAME=VALUE`, `▸ allow=PROGRAM`. */
export function readRunsOthersCases(name: 'runs-others' | 'runs-others-rare'): RunsOthersCase[] {
  return readCorpus(name).map(({ script: line, ...heading }) => {
    const [script, ...fields] = line.split(' ▸ ') as [string, ...string[]]
    const valuesOf = (key: string) =>
      fields.filter((field) => field.startsWith(key)).map((field) => field.slice(key.length))
    const additions = Object.fromEntries(valuesOf('env ').map((pair) => pair.split(/=(.*)/s, 2)))
    const program = valuesOf('allow=')[0] ?? firstProgram(script)
    return { ...heading, script, program, stdin: valuesOf('stdin=')[0] ?? null, additions }
  })
}

// the first word that is not an assignment
function firstProgram(script: string): string {
  return /^(?:\w+=(?:'[^']*'|"[^"]*"|[^\s'"])*\s+)*(\S+)/.exec(script)![1]!
}
