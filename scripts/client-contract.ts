import openapiTypes, { astToString } from 'openapi-typescript'
import { format, resolveConfig } from 'prettier'

const head = '/** The contract as types: openapi.yaml by openapi-typescript, written by npm run docs. */\n'

/** Types of the wire for the typed client (src/sdk/openapi.d.ts), from openapi.yaml. */
export async function clientTypes(contract: string): Promise<string> {
  const filepath = new URL('../src/sdk/openapi.d.ts', import.meta.url).pathname
  return format(head + astToString(await openapiTypes(contract)), { ...(await resolveConfig(filepath)), filepath })
}
