/** Milliseconds in seconds, such as `0.25 s` or `75 s`. */
export const secondsText = (ms: number): string => `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 0)} s`
