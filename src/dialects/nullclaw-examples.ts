import type { Example } from './dialect.ts'

export const examples: Example[] = []
