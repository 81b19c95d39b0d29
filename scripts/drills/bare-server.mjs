/**
 * The baseline of scripts/drills/drill-attack.ts: a Node server that only answers requests and discards their bodies. It sends two port numbers
 * over IPC, one for the attack and one for the owner.
 *
 *     node scripts/drills/bare-server.mjs [KEY CERTIFICATE]
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'

const [, , key, certificate] = process.argv
const answer = (request, response) => {
  request.resume().on('end', () => response.end('{"status":"ok"}'))
}
const forOwner = createServer(answer)
const attacked = key
  ? createSecureServer({ key: readFileSync(key), cert: readFileSync(certificate) }, answer)
  : createServer(answer)
attacked.on('tlsClientError', (_error, socket) => socket.destroy())
attacked.listen(0, '127.0.0.1', () =>
  forOwner.listen(0, '127.0.0.1', () => process.send([attacked.address().port, forOwner.address().port])),
)
process.on('disconnect', () => process.exit())
