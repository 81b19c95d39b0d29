import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Nothing has run for so long: V8 gives nothing back by itself while nothing happens. */
const IDLE_MS = 5_000
/** Fewer runs leave too little behind for it to be worth the time that it takes. */
const MIN_RUNS = 100

/** Called at the end of every run; collects what many runs have left behind once the service idles. No timer is armed while nothing ran. */
export function createIdleCollector(): () => void {
  let runs = 0
  let timer: NodeJS.Timeout | null = null
  const collect = () => {
    timer = null
    runs = 0
    setFlagsFromString('--expose-gc')
    const gc = runInNewContext('gc') as () => void
    setFlagsFromString('--no-expose-gc')
    gc()
  }
  return () => {
    if (++runs < MIN_RUNS) return
    if (timer) timer.refresh()
    else timer = setTimeout(collect, IDLE_MS).unref()
  }
}
