import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { Failed, Loading } from '../parts/states.tsx'
import type { ViewProps } from '../route.ts'
import { words } from '../words.ts'

type RareViews = typeof import('./rare-views.ts')

const loaded = signal<RareViews | null>(null)
const hasFailed = signal(false)

function load(): void {
  hasFailed.value = false
  import('./rare-views.ts').then(
    (views) => (loaded.value = views),
    () => (hasFailed.value = true),
  )
}

/** A view of rare-views.ts, so that the first load does not include it. If its file is gone after an upgrade, only a reload helps. */
export const onDemand = (name: keyof RareViews): ComponentType<ViewProps> =>
  function OnDemand(props) {
    useEffect(load, [])
    const View = loaded.value?.[name]
    if (View) return <View {...props} />
    return hasFailed.value ? <Failed message={words.notLoaded} again={() => location.reload()} /> : <Loading />
  }
