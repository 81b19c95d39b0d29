/** What the work resolves with, or, after `ms`, words for a disk that does not answer. */
export async function inTime(work: Promise<string | null>, ms: number): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined
  const stall = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, ms, `the disk did not answer for ${ms / 1000} seconds`)
  })
  // a write that was given up may still fail later, and nobody waits for it then
  work.catch(() => undefined)
  return Promise.race([work, stall]).finally(() => clearTimeout(timer))
}
