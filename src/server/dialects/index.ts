/**
 * dialects: translates between each agent's own tools and this service. A tool is a row with parameters, settings, `toRequest` and
 * `toText`. The module is pure: facts about the machine arrive as a DialectWorld. To add a dialect, write a file with its row, add the row
 * to the list below, and add its promises and examples under its name to test/server/dialects/promises, where the table test finds them.
 */
import { agentWorld } from './agent-world.ts'
import { anthropicBash } from './anthropic-bash.ts'
import { anthropicEditor } from './anthropic-editor.ts'
import type { Dialect } from './dialect.ts'
import { meka } from './meka.ts'
import { nullclaw } from './nullclaw.ts'
import { oneclaw } from './oneclaw.ts'
import { openaiApplyPatch } from './openai-apply-patch.ts'
import { openaiLocalShell } from './openai-local-shell.ts'
import { openaiShell } from './openai-shell.ts'
import { picoclaw } from './picoclaw.ts'
import { invalid, ShellphoneError, visible } from '../../shared/schema/index.ts'

/** The tools of all dialects, the canonical one first. They refuse arguments that they do not have, and say so to the model. */
export const dialects: Dialect[] = [
  oneclaw,
  picoclaw,
  nullclaw,
  agentWorld,
  meka,
  anthropicBash,
  anthropicEditor,
  openaiShell,
  openaiLocalShell,
  openaiApplyPatch,
].map((dialect) => ({
  ...dialect,
  parameters: { ...dialect.parameters, additionalProperties: false },
}))

/** Each dialect with its settings, which its tools share. */
export const families: ReadonlyMap<string, Dialect['settings']> = new Map(
  dialects.map(({ family, settings }) => [family, settings]),
)

/** By dialect, if it has one tool, and by DIALECT/TOOL. */
export const dialectsByName: ReadonlyMap<string, Dialect> = new Map(
  dialects.flatMap((dialect) => [
    [dialect.name, dialect],
    [`${dialect.family}/${dialect.tool}`, dialect],
  ]),
)

/** The tools of a dialect, or the one with this name. Throws NOT_FOUND. */
export function toolsOfDialect(name: string): Dialect[] {
  const tools = dialects.filter((dialect) => dialect.family === name || dialectsByName.get(name) === dialect)
  if (tools.length > 0) return tools
  throw new ShellphoneError('NOT_FOUND', `No such dialect: ${name.slice(0, 64)}; GET /dialects lists them`)
}

/** The tool with this name. Throws NOT_FOUND, and VALIDATION_ERROR for a dialect of which one of several tools must be named. */
export function findDialect(name: string): Dialect {
  const found = dialectsByName.get(name)
  if (found) return found
  const [family = '', tool = 'nothing'] = name.split('/', 2)
  const tools = toolsOfDialect(family).map((dialect) => dialect.tool)
  throw invalid(`tool: expected one of ${tools.join(', ')}, got ${visible(tool.slice(0, 64))}`, 'tool')
}

export { absolutePath } from './shared.ts'
export * from './dialect.ts'
export { canonicalText, denialText } from './oneclaw.ts'
