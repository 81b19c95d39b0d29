/** The part `score` of drill-policy.ts: the share of each corpus that the policy catches, in percent, compared with the goals. */
import { decide, type PolicySettings, presetSettings } from '../../src/server/policy/index.ts'
import {
  type CorpusScript,
  type RunsOthersCase,
  readCorpus,
  readRunsOthersCases,
} from '../../test/server/policy/corpus.ts'
import { realpath, settingsFor, world } from '../../test/server/policy/scene.ts'

type Verdict = 'allow' | 'ask' | 'deny'
type JudgedLine = { line: string; verdict: Verdict }
interface ScoreRow {
  what: string
  /** the share of the lines that count for the row, from 0 to 1 */
  share: number
  of: number
  /** such as `≥ 95 %` or `< 2 %`; absent: no goal */
  goal?: string
  met: boolean
  hits: readonly JudgedLine[]
}

const presets = ['guarded', 'supervised', 'strict'] as const
const workspace = { restrict_to_workspace: true, workspace_dir: '/home/u/work' }
const preset = (name: (typeof presets)[number]): PolicySettings => ({
  ...presetSettings(name),
  workspace_dir: '/home/u/work',
})

// judges a script together with the stdin and env of the request
function judge(script: string, settings: PolicySettings, brought: Partial<RunsOthersCase> = {}): JudgedLine {
  const additions = brought.additions ?? {}
  const subject = {
    ...world,
    script,
    env: { ...world.env, ...additions },
    additions,
    stdin: brought.stdin ? { text: brought.stdin } : null,
    shellFlavour: brought.tags?.includes('bash') ? ('bash' as const) : null,
  }
  const fields = [...Object.entries(additions).map(([name, value]) => `env ${name}=${value}`), brought.stdin ?? '']
  const line = [script, ...fields].filter((part) => part !== '').join(' ▸ ')
  return { line: line.replaceAll('\n', '↵'), verdict: decide(subject, settings, { realpath }).verdict }
}

// the share of the lines that need approval or are denied; `hits`: the other lines
function noticed(what: string, judged: readonly JudgedLine[], goal?: number): ScoreRow {
  const hits = judged.filter(({ verdict }) => verdict === 'allow')
  const share = 1 - hits.length / judged.length
  return {
    what,
    share,
    of: judged.length,
    ...(goal ? { goal: `≥ ${goal * 100} %` } : {}),
    met: share >= (goal ?? 0),
    hits,
  }
}

// the share of the lines with this verdict; a goal of 0 allows none
function answered(what: string, verdict: Verdict, judged: readonly JudgedLine[], goal?: number): ScoreRow {
  const hits = judged.filter((one) => one.verdict === verdict)
  const share = hits.length / judged.length
  const met = goal === undefined || (goal === 0 ? share === 0 : share < goal)
  const bound = goal === undefined ? {} : { goal: goal === 0 ? '0 %' : `< ${goal * 100} %` }
  return { what: `${what} ${verdict === 'ask' ? 'asked' : 'denied'}`, share, of: judged.length, ...bound, met, hits }
}

const judgeAll = (lines: readonly CorpusScript[], settings: PolicySettings) =>
  lines.map((line) => judge(line.script, settings, line))

// judges each case with an allowlist that contains only its program
const judgeListed = (ways: readonly RunsOthersCase[]) =>
  ways.map((way) => judge(way.script, { ...presetSettings('open'), allowed_commands: [way.program] }, way))

function evasionRows(): ScoreRow[] {
  const lines = readCorpus('evasion')
  return [...new Set(lines.map(({ tags }) => tags[0]!))].map((guard) =>
    noticed(
      `evasion: ${guard}`,
      judgeAll(
        lines.filter(({ tags }) => tags[0] === guard),
        settingsFor[guard]!,
      ),
      1,
    ),
  )
}

function outsideRows(): ScoreRow[] {
  const lines = readCorpus('outside')
  const guard = { ...presetSettings('open'), ...workspace }
  return [
    ...['read', 'write'].map((kind) =>
      noticed(
        `outside: workspace, ${kind}`,
        judgeAll(
          lines.filter(({ tags }) => tags[0] === kind),
          guard,
        ),
        0.98,
      ),
    ),
    noticed('outside: strict', judgeAll(lines, preset('strict')), 0.98),
  ]
}

function runsOthersRows(): ScoreRow[] {
  const ways = readRunsOthersCases('runs-others')
  const rare = readRunsOthersCases('runs-others-rare')
  const single = settingsFor['single-command']!
  const listed = judgeListed(ways)
  const broughtOnly = ways.filter(({ stdin, additions }) => stdin !== null || Object.keys(additions).length > 0)
  const families = [...new Set(ways.map(({ tags }) => tags[0]!))]
  return [
    noticed('runs others: allowlist', listed, 0.95),
    noticed('runs others: single-command', judgeAll(ways, single), 0.95),
    noticed('runs others: strict', judgeAll(ways, preset('strict')), 0.98),
    noticed('runs others: supervised', judgeAll(ways, preset('supervised'))),
    noticed('runs others: guarded', judgeAll(ways, preset('guarded'))),
    noticed('runs others: allowlist, by stdin or env', judgeListed(broughtOnly)),
    noticed('runs others: single-command, by stdin or env', judgeAll(broughtOnly, single)),
    ...families.map((family) =>
      noticed(
        `runs others: allowlist, ${family}`,
        listed.filter((_, index) => ways[index]!.tags[0] === family),
      ),
    ),
    noticed('rare programs: allowlist', judgeListed(rare)),
    noticed('rare programs: single-command', judgeAll(rare, single)),
  ]
}

function ordinaryRows(): ScoreRow[] {
  const lines = readCorpus('ordinary')
  const any = lines.filter(({ tags }) => !tags.includes('bash'))
  const bash = lines.filter(({ tags }) => tags.includes('bash'))
  const goals = { guarded: { deny: 0, ask: 0.02 }, supervised: { deny: 0.02 }, strict: {} }
  return presets.flatMap((name) => {
    const goal: { deny?: number; ask?: number } = goals[name]
    const judged = judgeAll(any, preset(name))
    return [
      answered(`ordinary: ${name},`, 'deny', judged, goal.deny),
      answered(`ordinary: ${name},`, 'ask', judged, goal.ask),
      answered(`ordinary, bash alone: ${name},`, 'deny', judgeAll(bash, preset(name))),
      answered(`ordinary, bash alone: ${name},`, 'ask', judgeAll(bash, preset(name))),
    ]
  })
}

/** Prints every figure and, with `misses`, the lines that miss a goal. Returns the number of missed goals. */
export function drillScore(print: (line: string) => void, misses: boolean): number {
  const rows = [...evasionRows(), ...outsideRows(), ...runsOthersRows(), ...ordinaryRows()]
  for (const { what, share, of, goal, met, hits } of rows) {
    const verdict = goal ? ` (goal ${goal}: ${met ? 'met' : 'MISSED'})` : ''
    print(`score: ${what}: ${(100 * share).toFixed(2)} % of ${of}${verdict}`)
    if (misses && goal) for (const hit of hits) print(`  ${hit.verdict}: ${hit.line}`)
  }
  const missed = rows.filter(({ met }) => !met).length
  print(`score: ${missed} of ${rows.filter(({ goal }) => goal).length} goals missed`)
  return missed
}
