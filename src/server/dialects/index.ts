/**
 * dialects: how each agent's shell tool words a request and reads a result. A dialect is a row: parameters, settings,
 * `toRequest`, `toText`. Pure: what it must know of the machine comes as a World. To add one: a file with its row, the row in the
 * list below, and its promises and examples in test/server/dialects/promises under its name, where the table test finds them.
 */
import { agentWorld } from './agent-world.ts'
import type { Dialect } from './dialect.ts'
import { meka } from './meka.ts'
import { nullclaw } from './nullclaw.ts'
import { oneclaw } from './oneclaw.ts'
import { picoclaw } from './picoclaw.ts'

/** Every dialect, the canonical one first. */
export const dialects: Dialect[] = [oneclaw, picoclaw, nullclaw, agentWorld, meka]

export const dialectsByName: ReadonlyMap<string, Dialect> = new Map(dialects.map((dialect) => [dialect.name, dialect]))

export { absolutePath } from './shared.ts'
export * from './dialect.ts'
export { canonicalText, denialText } from './oneclaw.ts'
