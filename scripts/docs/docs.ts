/**
 * Generates openapi.yaml and plane-openapi.yaml from the routes, asyncapi.yaml from the WebSocket's messages, docs.html and the typed client's types from
 * openapi.yaml, the launcher's protocol.h, and the tables of the documents from rows in the code.
 *
 *     npm run docs
 */
import { writeFileSync } from 'node:fs'
import { asyncapiDocument } from './asyncapi-document.ts'
import { clientTypes } from '../../test/slow/client-contract.ts'
import { docsPage } from './docs-page.ts'
import { launcherHeader } from './launcher-header.ts'
import { planeDocument } from './plane-document.ts'
import { openapiDocument } from './openapi-document.ts'
import { documentsWithTables } from './tables.ts'

const root = new URL('../..', import.meta.url)
const contract = await openapiDocument()
writeFileSync(new URL('openapi.yaml', root), contract)
writeFileSync(new URL('src/fleet/plane/plane-openapi.yaml', root), await planeDocument())
const messages = asyncapiDocument()
writeFileSync(new URL('src/server/routes/asyncapi.yaml', root), messages)
writeFileSync(new URL('src/server/routes/docs.html', root), docsPage(contract, messages))
writeFileSync(new URL('src/sdk/openapi.d.ts', root), await clientTypes(contract))
writeFileSync(new URL('src/server/spawn/launcher/protocol.h', root), launcherHeader())
for (const [file, text] of await documentsWithTables(root)) writeFileSync(new URL(file, root), text)
