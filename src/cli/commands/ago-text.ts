import { timeUnits } from '../../shared/schema/index.ts'

/** How long ago a time was, in its largest unit, such as `5 min ago`. */
export function agoText(iso: string, nowMs: number): string {
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(iso)) / 1000))
  const [name, length] = timeUnits.find(([, unit]) => seconds >= unit) ?? ['s', 1]
  return `${Math.floor(seconds / length)} ${name} ago`
}
