/**
 * package: the version of this package, its folder, and the files that make it a service.
 */
export { serviceFolder, unitFile } from './service-files.ts'
export { version } from './version.ts'
export { inPackage, packageFolder } from './package-folder.ts'
