import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** The folder that contains both dist/ and src/, without a trailing slash: the first folder above this file that has a package.json. */
export const packageFolder: string = upwards(dirname(fileURLToPath(import.meta.url)))

function upwards(folder: string): string {
  const above = dirname(folder)
  return above === folder || existsSync(join(folder, 'package.json')) ? folder : upwards(above)
}

/** A file or a folder (with a slash at its end) of the package. */
export const inPackage = (path: string): URL => pathToFileURL(join(packageFolder, path))
