let second = Number.NaN
let text = ''

/** Epoch milliseconds as ISO 8601 in UTC, as Date.toISOString writes them; the text of the last second is kept, which most times of a service lie in. */
export function toIso(epochMs: number): string {
  const milliseconds = epochMs % 1000
  if (epochMs - milliseconds !== second) {
    second = epochMs - milliseconds
    text = new Date(second).toISOString().slice(0, -4)
  }
  return `${text}${String(milliseconds).padStart(3, '0')}Z`
}
