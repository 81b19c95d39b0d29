import { type Decision, type Finding, risks, strictness } from '../../shared/schema/index.ts'

/** What one finding alone decides. */
export const onlyFinding = (finding: Finding): Decision => ({ ...finding, opaque: false, guards: [finding] })

/** Of two decisions about one command the stricter speaks; every finding of both stays listed. */
export function stricter(a: Decision, b: Decision): Decision {
  const speaker = strictness[b.verdict] > strictness[a.verdict] ? b : a
  const risk = risks[Math.max(risks.indexOf(a.risk), risks.indexOf(b.risk))]!
  return { ...speaker, risk, opaque: a.opaque || b.opaque, guards: joined([...a.guards, ...b.guards]) }
}

/** Each rule once for each command, as strict as it was anywhere; a guard that was silent everywhere, once. */
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
