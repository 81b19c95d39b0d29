/** The paths of the page's files, inserted by the build. */
declare const SHELL: string[]
declare const self: ServiceWorkerGlobalScope

const NAME = `shell ${SHELL.join(' ')}`

self.addEventListener('install', (event) => event.waitUntil(storeShell()))
self.addEventListener('activate', (event) => event.waitUntil(deleteOldCaches()))
self.addEventListener('fetch', (event) => {
  const { origin, pathname } = new URL(event.request.url)
  if (event.request.method !== 'GET' || origin !== location.origin || !SHELL.includes(pathname)) return
  event.respondWith(pathname === '/' ? fromNetwork(event.request) : fromCache(event.request))
})

async function storeShell(): Promise<void> {
  await (await caches.open(NAME)).addAll(SHELL)
  await self.skipWaiting()
}

async function deleteOldCaches(): Promise<void> {
  for (const name of await caches.keys()) if (name !== NAME) await caches.delete(name)
  await self.clients.claim()
}

const fromCache = async (request: Request): Promise<Response> => (await caches.match(request)) ?? fetch(request)

/** The current page while the service responds, otherwise the cached page. */
const fromNetwork = (request: Request): Promise<Response> =>
  fetch(request).catch(async () => (await caches.match('/')) ?? Response.error())
