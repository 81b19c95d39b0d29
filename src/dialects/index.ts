/**
 * dialects: how each agent's shell tool words a request and reads a result. A dialect is a row: parameters, settings,
 * `toRequest`, `toText`, and examples that the table test walks. Pure: what it must know of the machine comes as a World.
 * To add one: a new file with its row and its examples, its name in dialect.ts, the row in the list below.
 */
import { agentWorld } from './agent-world.ts'
import type { Dialect } from './dialect.ts'
import { meka } from './meka.ts'
import { nullclaw } from './nullclaw.ts'
import { oneclaw } from './oneclaw.ts'
import { picoclaw } from './picoclaw.ts'

/** Every dialect, in the order of the seeds. */
export const dialects: Dialect[] = [oneclaw, picoclaw, nullclaw, agentWorld, meka]

/** The dialect of that name; undefined when there is none. */
export const dialectNamed = (name: string): Dialect | undefined => dialects.find((dialect) => dialect.name === name)

export * from './dialect.ts'
export type { Example } from './example.ts'
export { canonicalText } from './oneclaw.ts'
export { oneclaw }
