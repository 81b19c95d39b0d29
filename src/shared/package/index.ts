/**
 * package: what this package is: its version, and the folder that it lies in.
 */
export { version } from './version.ts'
export { inPackage, packageFolder } from './package-folder.ts'
