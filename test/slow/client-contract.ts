import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import openapiTypes, { astToString } from 'openapi-typescript'

const head = '/** The contract as types: openapi.yaml by openapi-typescript, written by npm run docs. */\n'
const root = fileURLToPath(new URL('../..', import.meta.url))

/** Types of the wire for the typed client (src/sdk/openapi.d.ts), from openapi.yaml. */
export async function clientTypes(contract: string): Promise<string> {
  const args = ['--config', 'src/.oxfmtrc.json', '--stdin-filepath', 'openapi.d.ts']
  const input = head + astToString(await openapiTypes(contract))
  return execFileSync('node_modules/.bin/oxfmt', args, { cwd: root, input, encoding: 'utf8' })
}
