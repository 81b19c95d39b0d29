import { watch } from 'node:fs'

/**
 * Calls `onChange` with the name of each of these files of `folder` that was created, written, replaced or removed, once `quietMs` have passed
 * without another change; no timer runs while nothing changes. Returns a function that stops it. Throws if the system has no watch left.
 */
export function watchFiles(
  folder: string,
  names: readonly string[],
  quietMs: number,
  onChange: (name: string) => void,
): () => void {
  const changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  const report = () => {
    const all = [...changed]
    changed.clear()
    all.forEach(onChange)
  }
  const watcher = watch(folder, { persistent: false }, (_event, name) => {
    if (name === null || !names.includes(name)) return
    changed.add(name)
    clearTimeout(timer)
    timer = setTimeout(report, quietMs).unref()
  })
  watcher.on('error', () => watcher.close()) // the directory was removed
  return () => {
    clearTimeout(timer)
    watcher.close()
  }
}
