/** Replaces intervals of `ms` until the test ends: the returned function calls them. */
export function intervalsOf(t: { teardown(after: () => void): void }, ms: number): () => void {
  const { setInterval } = globalThis
  t.teardown(() => Object.assign(globalThis, { setInterval }))
  const calls: (() => void)[] = []
  const collect = (call: () => void, everyMs: number) => {
    if (everyMs !== ms) return setInterval(call, everyMs)
    calls.push(call)
    return setInterval(() => {}, ms)
  }
  Object.assign(globalThis, { setInterval: collect })
  return () => calls.forEach((call) => call())
}
