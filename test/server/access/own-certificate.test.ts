import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { ownCertificate } from '../../../src/server/access/index.ts'
import { makeCertificate } from '../../../src/server/access/make-certificate.ts'

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const key = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
const leaf = `${await makeCertificate(key, ['localhost'])}\n` // a second certificate must start on its own line

t.test('keeps the previous certificate chain while the new one is incomplete', async (t) => {
  const files = { key, cert: leaf }
  const logged: object[] = []
  const certificate = ownCertificate(
    () => ({ ...files }),
    (facts) => logged.push(facts),
  )
  for (const cert of [
    `${leaf}${leaf.slice(0, 200)}`,
    `${leaf}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
  ]) {
    files.cert = cert
    t.equal(await certificate.renew([]), false, 'nothing new')
    t.equal(certificate.files().cert, leaf)
  }
  t.equal(logged.length, 2, 'the log says why')
  t.throws(
    () =>
      ownCertificate(
        () => ({ ...files }),
        () => {},
      ),
    { message: /setting tls_certificate: expected a PEM certificate/ },
  )
})
