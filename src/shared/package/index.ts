/**
 * package: the version and the directory of this package, and the paths of the files that setup installs and the command line stores.
 */
export { remotesFileOf, seenRunsOf, serviceFolder, unitFile } from './service-files.ts'
export { version } from './version.ts'
export { inPackage, packageFolder } from './package-folder.ts'
export { re2 } from './re2.ts'
