import { type Decision, type Finding, risks, strictness } from '../../shared/schema/index.ts'

/** Creates a decision from a single finding. */
export const onlyFinding = (finding: Finding): Decision => ({ ...finding, opaque: false, guards: [finding] })

/** Returns the stricter of two decisions about one command, with the findings of both. */
export function stricter(a: Decision, b: Decision): Decision {
  const speaker = strictness[b.verdict] > strictness[a.verdict] ? b : a
  const risk = risks[Math.max(risks.indexOf(a.risk), risks.indexOf(b.risk))]!
  return { ...speaker, risk, opaque: a.opaque || b.opaque, guards: joined([...a.guards, ...b.guards]) }
}

/** Merges findings: each rule once per command with its strictest verdict, and each guard without findings once. */
function joined(findings: Finding[]): Finding[] {
  const found = new Map<string, Finding>()
  const spoke = new Set<string>()
  for (const { rule, guard } of findings) if (rule !== null) spoke.add(guard)
  for (const finding of findings) {
    if (finding.rule === null && spoke.has(finding.guard)) continue
    const key = JSON.stringify([finding.guard, finding.rule, finding.command])
    const known = found.get(key)
    if (!known || strictness[finding.verdict] > strictness[known.verdict]) found.set(key, finding)
  }
  return [...found.values()]
}
