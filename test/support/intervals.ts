/** What is to be called every `ms` from now on, until the test is over, is called when the returned function is. */
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
