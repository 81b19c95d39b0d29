import { appOfRoutes } from '../../scripts/docs/openapi-document.ts'

/** Every route. `path` has `:names`; `isPublic`: it needs no token. */
export async function listRoutes(): Promise<{ method: string; path: string; isPublic: boolean }[]> {
  const found: { method: string; path: string; isPublic: boolean }[] = []
  const app = await appOfRoutes(async (app) => {
    app.addHook('onRoute', ({ method, url, config }) => {
      const isPublic = (config as { public?: boolean } | undefined)?.public === true
      for (const one of [method].flat()) found.push({ method: one, path: url, isPublic })
    })
  })
  await app.close()
  return found
}
