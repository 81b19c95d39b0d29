import { createHash } from 'node:crypto'
import { chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { ReleaseFile } from '../../../scripts/release/archives.ts'
import { bundledCode } from '../../../scripts/release/bundled.ts'
import { npmTarball, packageFiles } from '../../../scripts/release/npm-package.ts'
import { readPackageJson } from '../../../scripts/release/package-json.ts'
import { root } from '../helper.ts'
import { appUid, home, type Phone } from './phone.ts'

let packed: ReleaseFile[] | undefined

type Change = (path: string, text: string) => string

/** The files of the npm package of this checkout with another version. `change` returns the new text of a file. */
export function filesOf(version: string, change: Change = (_path, text) => text): ReleaseFile[] {
  packed ??= packageFiles(root, [], bundledCode(root, false))
  const ours = `"${readPackageJson(root).version}"`
  return packed.map((file) => {
    if (!/^(package\.json|dist\/[\w-]+\.js)$/.test(file.path)) return file
    const text = file.bytes.toString().replaceAll(ours, `"${version}"`)
    return { ...file, bytes: Buffer.from(change(file.path, text)) }
  })
}

/** The npm package with these files. */
export const artifact = (version: string, change?: Change): Buffer => npmTarball(filesOf(version, change))

export const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** Writes files to a directory of the phone's home, with SHA256SUMS, and returns the directory on the phone. */
export function put(phone: Phone, folder: string, files: Record<string, Buffer>, sums?: string): string {
  const lines = Object.entries(files).map(([name, bytes]) => `${sha256(bytes)}  ${name}\n`)
  for (const [name, bytes] of [
    ...Object.entries(files),
    ['SHA256SUMS', Buffer.from(sums ?? lines.join(''))] as const,
  ]) {
    const path = phone.path(`${home}/${folder}/${name}`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, bytes)
    for (const one of [dirname(path), path]) chownSync(one, appUid, appUid)
  }
  return `${home}/${folder}`
}
