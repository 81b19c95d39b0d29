/**
 * package: the version of this package, and its folder.
 */
export { version } from './version.ts'
export { inPackage, packageFolder } from './package-folder.ts'
