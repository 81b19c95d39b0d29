import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** The directory that contains dist/ and src/, without a trailing slash: the nearest directory above this file with a package.json. */
export const packageFolder: string = upwards(dirname(fileURLToPath(import.meta.url)))

function upwards(folder: string): string {
  const above = dirname(folder)
  return above === folder || existsSync(join(folder, 'package.json')) ? folder : upwards(above)
}

/** The URL of a file or a directory (with a trailing slash) in the package. */
export const inPackage = (path: string): URL => pathToFileURL(join(packageFolder, path))
