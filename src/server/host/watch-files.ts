import { watch } from 'node:fs'

/**
 * Calls with the name of a file of `folder` that was made, written, replaced or removed, once `quietMs` have passed without another
 * change; no timer runs while nothing changes. Returns what ends it. Throws where the system watches nothing more.
 */
export function watchFiles(
  folder: string,
  names: readonly string[],
  quietMs: number,
  onChange: (name: string) => void,
): () => void {
  const changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  const tell = () => {
    const all = [...changed]
    changed.clear()
    all.forEach(onChange)
  }
  const watcher = watch(folder, { persistent: false }, (_event, name) => {
    if (name === null || !names.includes(name)) return
    changed.add(name)
    clearTimeout(timer)
    timer = setTimeout(tell, quietMs).unref()
  })
  watcher.on('error', () => watcher.close()) // the folder has gone
  return () => {
    clearTimeout(timer)
    watcher.close()
  }
}
