/** Compiles the launcher to `output`, with the compiler flags in `more` added. Returns null, or why that failed. */
export function buildLauncher(output: string, more?: string[], compilers?: string[]): string | null
/** A hash of the source: 16 hexadecimal digits. */
export function sourcesKey(): string
