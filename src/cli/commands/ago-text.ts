const units: [name: string, seconds: number][] = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
]

/** How long ago a time was, in its largest unit, such as `5 min ago`. */
export function agoText(iso: string, nowMs: number): string {
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(iso)) / 1000))
  const [name, length] = units.find(([, unit]) => seconds >= unit) ?? ['s', 1]
  return `${Math.floor(seconds / length)} ${name} ago`
}
