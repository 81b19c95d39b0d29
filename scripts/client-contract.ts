import openapiTypes, { astToString } from 'openapi-typescript'

const head = '/** The contract as types: openapi.yaml by openapi-typescript, written by npm run docs. */\n'

/** Types of the wire for the typed client (src/sdk/openapi.d.ts), from openapi.yaml. */
export const clientTypes = async (contract: string): Promise<string> => head + astToString(await openapiTypes(contract))
