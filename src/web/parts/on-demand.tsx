import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { words } from '../words.ts'
import { Failed, Loading } from './states.tsx'

/**
 * The components of a module that loads when the first of them is shown, so that the first load does not include it. If its file is gone
 * after an upgrade, only a reload helps.
 */
export function onDemand<Module extends object>(load: () => Promise<Module>) {
  const loaded = signal<Module | null>(null)
  const hasFailed = signal(false)
  const start = (): void => {
    hasFailed.value = false
    load().then(
      (module) => (loaded.value = module),
      () => (hasFailed.value = true),
    )
  }
  return <Props extends object>(pick: (module: Module) => ComponentType<Props>): ComponentType<Props> =>
    function OnDemand(props) {
      useEffect(start, [])
      const Component = loaded.value && pick(loaded.value)
      if (Component) return <Component {...props} />
      return hasFailed.value ? <Failed message={words.notLoaded} again={() => location.reload()} /> : <Loading />
    }
}
