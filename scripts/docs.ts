import { readFileSync, writeFileSync } from 'node:fs'
import { openapiDocument } from './openapi-document.ts'
import { withSettingsTable } from './settings-table.ts'

/** Writes what is generated: openapi.yaml from the routes, the README's table from the settings. Usage: npm run docs */
const at = (file: string) => new URL(`../${file}`, import.meta.url)

writeFileSync(at('openapi.yaml'), await openapiDocument())
writeFileSync(at('README.md'), withSettingsTable(readFileSync(at('README.md'), 'utf8')))
