const units: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Converts `90`, `90s` or `1h`, which the parser has checked, to seconds. */
export function secondsIn(given: string): number {
  const [, count, unit] = /^([\d.]+)([smhd]?)$/.exec(given)!
  return Number(count) * units[unit || 's']!
}
