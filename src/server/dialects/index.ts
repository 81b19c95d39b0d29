/**
 * dialects: translates between each agent's shell tool and this service. A dialect is a row with parameters, settings, `toRequest` and
 * `toText`. The module is pure: facts about the machine arrive as a DialectWorld. To add a dialect, write a file with its row, add the row
 * to the list below, and add its promises and examples under its name to test/server/dialects/promises, where the table test finds them.
 */
import { agentWorld } from './agent-world.ts'
import type { Dialect } from './dialect.ts'
import { meka } from './meka.ts'
import { nullclaw } from './nullclaw.ts'
import { oneclaw } from './oneclaw.ts'
import { picoclaw } from './picoclaw.ts'

/** All dialects, the canonical one first. Their tools refuse arguments that they do not have, and say so to the model. */
export const dialects: Dialect[] = [oneclaw, picoclaw, nullclaw, agentWorld, meka].map((dialect) => ({
  ...dialect,
  parameters: { ...dialect.parameters, additionalProperties: false },
}))

export const dialectsByName: ReadonlyMap<string, Dialect> = new Map(dialects.map((dialect) => [dialect.name, dialect]))

export { absolutePath } from './shared.ts'
export * from './dialect.ts'
export { canonicalText, denialText } from './oneclaw.ts'
