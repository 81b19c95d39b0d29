/**
 * package: the version and the directory of this package, and the paths of the files that setup installs.
 */
export { serviceFolder, unitFile } from './service-files.ts'
export { version } from './version.ts'
export { inPackage, packageFolder } from './package-folder.ts'
