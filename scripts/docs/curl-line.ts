import { curlRows, withToken } from './curl-rows.ts'
import { jsonBodies } from './examples.ts'

/** The lines that call the operation. The names of variables in the path, such as $ID, are those of the path's parameters. */
export function curlLines(method: string, path: string, isPublic: boolean, hasBody: boolean): string[] {
  const { query = '', options: own = '', before = [], after = [] } = curlRows[`${method} ${path}`] ?? {}
  const body = sentBy(own) === undefined ? jsonBodies[`${method} ${path}`] : undefined
  const options = [own, body && `--json '${JSON.stringify(body)}'`].filter(Boolean).join(' ')
  if (hasBody && options === '') throw new Error(`${method} ${path} needs an example in scripts/docs/examples.ts`)
  const sent = sentBy(options)
  const isImplied = method === (sent === undefined ? 'GET' : sent === '--json' ? 'POST' : 'PUT')
  const address = `${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`)}${query}`
  const [curl, ...token] = withToken.split(' ')
  const line = [
    curl,
    isImplied ? '' : method === 'HEAD' ? '-I' : `-X ${method}`,
    ...(isPublic ? [] : token),
    options,
    `"$URL${address}"`,
  ]
  return [...before, line.filter(Boolean).join(' '), ...after]
}

/** The option that sends a body, if there is one. */
const sentBy = (options: string): string | undefined => /--json|-T /.exec(options)?.[0].trim()
