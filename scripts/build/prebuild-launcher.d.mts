interface Target {
  arch: string
  debian: string
  musl: string
  gnu: string
  qemu: string
}
/** One row per process.arch; `qemu` runs the launcher on another processor. */
export const targets: Target[]
/** The compiler flags of a target, for a static launcher with musl. Throws if musl cannot be fetched. */
export function prebuildFlags(target: Target): string[]
/** Builds the static launcher of one target, with additional compiler flags. Returns the reason if it cannot be built, otherwise null. */
export function prebuildLauncher(target: Target, output: string, more?: string[]): string | null
/** The libraries of which each prebuilt launcher contains code. The compilers and musl must be installed, as after a build. */
export function launcherLibraries(): {
  name: string
  version: string
  license: string
  licenseText: string
  purl: string
}[]
