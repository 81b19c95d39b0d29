import { words } from './words.ts'

/** Settings to suppose, of a preset and of lines as config.yaml has them; what is wrong with the first that is none, else empty. */
export function toSupposed(preset: string, lines: string): { policy: Record<string, unknown>; trouble: string } {
  const policy: Record<string, unknown> = preset === '' ? {} : { policy: preset }
  for (const line of lines.split('\n').map((one) => one.trim())) {
    if (line === '' || line.startsWith('#')) continue
    const [, name, value] = /^([a-z][a-z0-9_.]*):\s+(.+)$/.exec(line) ?? []
    if (name === undefined || value === undefined) return { policy, trouble: words.policy.noLine(line) }
    policy[name] = toValue(value)
  }
  return { policy, trouble: '' }
}

/** JSON where it is some; else the text, as YAML has it. */
function toValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text.replace(/^'(.*)'$/, '$1')
  }
}
