import t from 'tap'
import { listRoutes } from '../support/routes-of-app.ts'
import { eachCut } from './cuts/each-cut.ts'
import { publicRows } from './cuts/inputs.ts'

t.test('every route has a truncated request', async (t) => {
  const routes = (await listRoutes()).filter(({ method, isPublic }) => isPublic && method !== 'HEAD')
  // test/server/rights.test.ts checks the others
  t.same(Object.keys(publicRows('')).sort(), routes.map(({ method, path }) => `${method} ${path}`).sort())
})

// test/slow/cut-inputs.test.ts cuts at every tenth byte
await eachCut(t, 10)
