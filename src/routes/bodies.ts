import type { FastifyInstance } from 'fastify'
import { ShellphoneError, visible } from '../schema/index.ts'
import { jsonTrouble } from './json-size.ts'

/** JSON bodies, and none: many clients send the header always, so a body of no bytes is no body, and the route's schema judges that. */
export function jsonBodies(app: FastifyInstance): void {
  app.removeContentTypeParser('text/plain')
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (bytes.length === 0) return done(null, undefined)
    const trouble = tooMuch(bytes as Buffer)
    if (trouble) return done(trouble)
    const body = bytes.toString()
    parse(request, body, (error, value) => (error ? done(notJson(body)) : done(null, value)))
  })
}

function tooMuch(bytes: Buffer): ShellphoneError | null {
  const trouble = jsonTrouble(bytes)
  return trouble === null ? null : new ShellphoneError('VALIDATION_ERROR', `body: ${trouble}`)
}

/** Says where it stops being JSON; most often a shell has taken the quotes. */
function notJson(body: string): ShellphoneError {
  const hint = `in a shell the body stands in single quotes: curl --json '{"command": "ls"}'`
  return new ShellphoneError('VALIDATION_ERROR', `body: expected JSON: ${trouble(body)}; ${hint}`)
}

function trouble(body: string): string {
  try {
    JSON.parse(body)
    return 'the names __proto__ and constructor.prototype are refused'
  } catch (error) {
    return visible((error as Error).message)
  }
}
