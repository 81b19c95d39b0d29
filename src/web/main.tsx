import { render } from 'preact'
import { access } from './access.ts'
import { startAlerts } from './alerts.ts'
import { Frame } from './frame.tsx'
import { startFleet } from './fleet-phones.ts'
import { startKeys } from './page-keys.ts'
import { startTheme } from './local.ts'
import { startTab } from './tab.ts'
import { onDemand } from './parts/on-demand.tsx'
import { consumeFragment } from './fragment.ts'
import { startWire } from './wire.ts'
import { startWorker } from './worker.ts'

const Pair = onDemand(() => import('./views/pair.tsx'))((module) => module.Pair)

const App = () => (access.value ? <Frame /> : <Pair />)

export function start(): void {
  consumeFragment()
  startTheme()
  startFleet()
  startWire()
  startTab()
  startAlerts()
  startKeys()
  startWorker()
  render(<App />, document.body)
}
