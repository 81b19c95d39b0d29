import { invalid } from './errors.ts'
import { LABEL } from './fleet.ts'
import { FLEET_NAME } from './name.ts'

/** Selects phones by name and labels: every term must match. */
export type Selector = { key: string; value: string | null }[]

/** The maximum number of terms in a selector, which bounds the work of a control plane. */
const MAX_TERMS = 32

/** Parses `lab=berlin,arm64`, `name=pixel-7`, `name=pixel-7|nexus` (any of them) or `*` (all). Throws VALIDATION_ERROR for anything else. */
export function parseSelector(text: string): Selector {
  const words = text.split(',').map((word) => word.trim())
  if (text.trim() === '*') return []
  const wrong = words.length > MAX_TERMS ? text : words.find((word) => !isTerm(word))
  if (wrong === undefined) return words.map(toTerm)
  const message = `phones: expected labels like lab=berlin,arm64, name=NAME, name=NAME|NAME, or *, got ${JSON.stringify(wrong.slice(0, 60))}`
  throw invalid(message, 'phones')
}

const isTerm = (word: string) =>
  word.startsWith('name=') ? namesIn(word.slice(5)).every((name) => FLEET_NAME.test(name)) : LABEL.test(word)

const namesIn = (value: string) => value.split('|')

function toTerm(word: string): Selector[number] {
  const [key = '', value = null] = word.split('=')
  return { key, value }
}

/** Whether the selector matches a phone; a key without a value matches any value. */
export function isSelected(selector: Selector, phone: { name: string; labels: Record<string, string> }): boolean {
  return selector.every(({ key, value }) => {
    if (key === 'name' && value !== null) return namesIn(value).includes(phone.name)
    return Object.hasOwn(phone.labels, key) && (value === null || phone.labels[key] === value)
  })
}
