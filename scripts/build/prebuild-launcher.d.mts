interface Target {
  arch: string
  debian: string
  musl: string
  gnu: string
  qemu: string
}
/** What is built, each by process.arch; `qemu` runs it elsewhere. */
export const targets: Target[]
/** What a target's compiler is told, for a static launcher against musl; throws where musl cannot be fetched. */
export function prebuildFlags(target: Target): string[]
/** Builds one target's static launcher, with more compiler flags; returns why it could not, or null. */
export function prebuildLauncher(target: Target, output: string, more?: string[]): string | null
