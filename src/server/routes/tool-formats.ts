import { Type } from '@sinclair/typebox'
import { type Dialect, dialects } from '../dialects/index.ts'
import { oneWordOf } from '../../shared/schema/index.ts'

const formats = ['openai', 'anthropic', 'mcp'] as const
type Format = (typeof formats)[number]

export const FormatQuery = Type.Object(
  {
    format: Type.Optional(
      oneWordOf(formats, { description: 'Tools as these APIs take them (openai: chat completions)' }),
    ),
  },
  { additionalProperties: false },
)

/** A list of tools for one API, and which dialect each of their names is (POST /exec/:dialect). */
export const ToolList = Type.Object({
  tools: Type.Array(Type.Object({}, { additionalProperties: true })),
  dialects: Type.Record(Type.String(), Type.String()),
})

/** How each API words one tool. */
const words: Record<Format, (name: string, dialect: Dialect) => object> = {
  openai: (name, { description, parameters }) => ({ type: 'function', function: { name, description, parameters } }),
  anthropic: (name, { description, parameters }) => ({ name, description, input_schema: parameters }),
  mcp: (name, { description, parameters }) => ({ name, description, inputSchema: parameters }),
}

/** Every dialect's tool for one API. */
export function toolList(format: Format) {
  const named = dialects.map((dialect) => ({ name: uniqueName(dialect), dialect }))
  return {
    tools: named.map(({ name, dialect }) => words[format](name, dialect)),
    dialects: Object.fromEntries(named.map(({ name, dialect }) => [name, dialect.name])),
  }
}

/** The tool's own name; with the dialect's before it where another dialect has taken that. */
const uniqueName = ({ name, tool }: Dialect): string =>
  dialects.find((one) => one.tool === tool)!.name === name ? tool : `${name}_${tool}`
