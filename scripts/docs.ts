/** Writes what is generated: openapi.yaml from the routes, the papers' tables from the rows of the code. Usage: npm run docs */
import { writeFileSync } from 'node:fs'
import { openapiDocument } from './openapi-document.ts'
import { papersWithTables } from './tables.ts'

const root = new URL('..', import.meta.url)
writeFileSync(new URL('openapi.yaml', root), await openapiDocument())
for (const [file, text] of await papersWithTables(root)) writeFileSync(new URL(file, root), text)
