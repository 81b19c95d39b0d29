/** Compiles the launcher to `output` with more compiler flags; returns why it could not, or null. */
export function buildLauncher(output: string, more?: string[], compilers?: string[]): string | null
/** Names what the source is now */
export function sourcesKey(): string
