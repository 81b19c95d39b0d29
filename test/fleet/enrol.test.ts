import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { join } from '../../src/fleet/phone/index.ts'
import { makeCertificate } from '../../src/server/access/make-certificate.ts'

const newKey = () =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
const pinOf = (key: string) =>
  createHash('sha256')
    .update(createPublicKey(key).export({ format: 'der', type: 'spki' }))
    .digest('base64url')

t.test('sends an invitation with a key only to the control plane with that key', async (t) => {
  const key = newKey()
  const paths: string[] = []
  const server = https.createServer({ key, cert: await makeCertificate(key, ['127.0.0.1']) }, (request, response) => {
    paths.push(request.url!)
    response.writeHead(401).end('{"error": {"message": "used already"}}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const joinBy = (pin: string) =>
    join(`https://127.0.0.1:${port}/#i=${'A'.repeat(22)}&key=${pin}`, {
      directory: t.testdir({}),
      file: { read: () => null, write: () => {}, remove: () => {} },
      version: '0',
    })
  await t.rejects(joinBy(pinOf(newKey())), /its key is not the one that was paired/)
  t.same(paths, [])
  await t.rejects(joinBy(pinOf(key)), /used already/)
  t.same(paths, ['/enrol'])
})
