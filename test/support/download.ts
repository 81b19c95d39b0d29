import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prebuildLauncher, targets } from '../../scripts/build/prebuild-launcher.mjs'
import type { ReleaseFile } from '../../scripts/release/archives.ts'
import { installScript } from '../../scripts/release/build-release.ts'
import { bundledCode } from '../../scripts/release/bundled.ts'
import { npmTarball, packageFiles } from '../../scripts/release/npm-package.ts'
import { readPackageJson, repositoryOf } from '../../scripts/release/package-json.ts'
import { root } from './helper.ts'
import { type Machine, type Started } from './machine.ts'
import { sha256 } from './termux/artifacts.ts'

/** The host that the documents download from. */
export const HOST = new URL(repositoryOf(readPackageJson(root))).host

/** The files of a release of this clone, and the certificate with which a machine can serve them at the address in the documents. */
export interface Download {
  /** with the certificate of the host for curl */
  env: Record<string, string>
  certificate: string
  /** serves the files over HTTPS until the machine stops */
  serve(machine: Machine): Promise<Started>
  remove(): void
}

/** The launcher of this processor as releases contain it; none where it cannot be built. */
function launchers(folder: string): ReleaseFile[] {
  const target = targets.find(({ arch }) => arch === process.arch)
  const path = join(folder, 'launcher')
  if (!target || prebuildLauncher(target, path) !== null) return []
  return [{ path: `dist/launcher-${target.arch}`, bytes: readFileSync(path), mode: 0o755 }]
}

/** Makes install.sh and the package that it installs, as `npm run release` does, and a certificate of the host. */
export function makeDownload(): Download {
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-download-'))
  const own = readPackageJson(root)
  const url = `${repositoryOf(own)}/releases/download/v${own.version}/${own.name}-${own.version}.tgz`
  const built = launchers(folder)
  const tarball = npmTarball(packageFiles(root, built, bundledCode(root, built.length > 0)))
  const script = installScript(readFileSync(join(root, 'termux/install.sh'), 'utf8'), url, sha256(tarball))
  const latest = `${repositoryOf(own)}/releases/latest/download/install.sh`
  for (const [address, bytes] of [
    [url, tarball],
    [latest, script],
  ] as const) {
    const path = join(folder, 'files', new URL(address).pathname)
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, bytes)
  }
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key, '-out', certificate]
  const names = ['-subj', `/CN=${HOST}`, '-addext', `subjectAltName=DNS:${HOST}`, '-days', '2']
  execFileSync('openssl', ['req', '-x509', ...newKey, ...names], { stdio: 'ignore' })
  return {
    env: { CURL_CA_BUNDLE: certificate },
    certificate,
    serve: async (machine) => {
      const server = machine.start(
        `cd ${folder}/files && exec openssl s_server -accept 443 -WWW -cert ${certificate} -key ${key}`,
      )
      await server.prints(/^ACCEPT$/m)
      return server
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
