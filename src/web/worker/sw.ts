/** The addresses of the shell, by the build. */
declare const SHELL: string[]
declare const self: ServiceWorkerGlobalScope

const NAME = `shell ${SHELL.join(' ')}`

self.addEventListener('install', (event) => event.waitUntil(keep()))
self.addEventListener('activate', (event) => event.waitUntil(forgetOthers()))
self.addEventListener('fetch', (event) => {
  const { origin, pathname } = new URL(event.request.url)
  if (event.request.method !== 'GET' || origin !== location.origin || !SHELL.includes(pathname)) return
  event.respondWith(pathname === '/' ? newest(event.request) : kept(event.request))
})

async function keep(): Promise<void> {
  await (await caches.open(NAME)).addAll(SHELL)
  await self.skipWaiting()
}

async function forgetOthers(): Promise<void> {
  for (const name of await caches.keys()) if (name !== NAME) await caches.delete(name)
  await self.clients.claim()
}

const kept = async (request: Request): Promise<Response> => (await caches.match(request)) ?? fetch(request)

/** The page of today where the service answers, else the one that is kept. */
const newest = (request: Request): Promise<Response> =>
  fetch(request).catch(async () => (await caches.match('/')) ?? Response.error())
