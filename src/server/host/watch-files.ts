import { watch } from 'node:fs'

/**
 * Watches these files in `folder`. Calls `onChange` with the name of each file that was created, written, replaced or removed, after `quietMs`
 * without another change. No timer runs while nothing changes. Returns a function that stops watching. Throws if the system allows no more
 * watches.
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
  watcher.on('error', () => watcher.close()) // the directory no longer exists
  return () => {
    clearTimeout(timer)
    watcher.close()
  }
}
