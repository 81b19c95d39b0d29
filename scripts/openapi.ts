import { writeFileSync } from 'node:fs'
import { openapiDocument } from './openapi-document.ts'

/** Writes openapi.yaml from the routes: `npm run openapi`. */
writeFileSync(new URL('../openapi.yaml', import.meta.url), await openapiDocument())
