import { appOfRoutes } from '../../scripts/docs/openapi-document.ts'

/** Every route that there is; `path` as it is served, with `:names`; `isPublic`: it wants no token. */
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
