import { rareWords } from './words/rare-words.ts'

/** The settings of a preset and of lines in config.yaml syntax. `error` describes the first invalid line; empty if all are valid. */
export function parseTrialSettings(preset: string, lines: string): { policy: Record<string, unknown>; error: string } {
  const policy: Record<string, unknown> = preset === '' ? {} : { policy: preset }
  for (const line of lines.split('\n').map((one) => one.trim())) {
    if (line === '' || line.startsWith('#')) continue
    const [, name, value] = /^([a-z][a-z0-9_.]*):\s+(.+)$/.exec(line) ?? []
    if (name === undefined || value === undefined) return { policy, error: rareWords.policy.invalidLine(line) }
    policy[name] = toValue(value)
  }
  return { policy, error: '' }
}

/** Parses a value as JSON; anything else is a string, as in YAML. */
function toValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text.replace(/^'(.*)'$/, '$1')
  }
}
