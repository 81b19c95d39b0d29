import { Type } from '@sinclair/typebox'
import { type Dialect, dialects } from '../dialects/index.ts'
import { oneWordOf, SessionName } from '../../shared/schema/index.ts'

const formats = ['openai', 'anthropic', 'mcp'] as const
type Format = (typeof formats)[number]

export const DialectName = Type.String({
  description: 'The name of the dialect, or DIALECT/TOOL, as GET /dialects lists it',
})
export const DialectParams = Type.Object({ dialect: DialectName })

/** What the URL of a tool call says beside its arguments, which belong to the agent. */
export const CallQuery = Type.Object(
  {
    session: Type.Optional(SessionName),
    tool: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'The tool, if the dialect has several, such as bash of anthropic',
      }),
    ),
  },
  { additionalProperties: false },
)

/** Separates the fields of a message that name a tool from the arguments of the tool. */
export function splitCall({ dialect, tool, session, arguments: input, ...parameters }: Record<string, unknown>) {
  const fields = { dialect, ...(tool !== undefined && { tool }), ...(session !== undefined && { session }) }
  return { fields, given: input ?? parameters }
}

/** The name of a tool: the dialect, or DIALECT/TOOL. */
export const nameOfTool = (dialect: string, tool: string | undefined): string =>
  tool === undefined ? dialect : `${dialect}/${tool}`

export const FormatQuery = Type.Object(
  {
    format: Type.Optional(
      oneWordOf(formats, {
        description:
          'Return tools in the format of this API (openai: chat completions; default: all about the dialects)',
      }),
    ),
  },
  { additionalProperties: false },
)

/** A list of tools for one API, and the dialect for each tool name (POST /exec/:dialect). */
export const ToolList = Type.Object({
  tools: Type.Array(Type.Object({}, { additionalProperties: true }), {
    description: 'The tools, as the API wants them',
  }),
  dialects: Type.Record(Type.String(), Type.String(), { description: 'The dialect of each tool name' }),
})

/** How each API describes a tool. */
const toTool: Record<Format, (name: string, dialect: Dialect) => object> = {
  openai: (name, { description, parameters }) => ({ type: 'function', function: { name, description, parameters } }),
  anthropic: (name, { description, parameters }) => ({ name, description, input_schema: parameters }),
  mcp: (name, { description, parameters }) => ({ name, description, inputSchema: parameters }),
}

/** The tools of all dialects in the format of one API. */
export function toolList(format: Format) {
  const named = dialects.map((dialect) => ({ name: uniqueName(dialect), dialect }))
  return {
    tools: named.map(({ name, dialect }) => toTool[format](name, dialect)),
    dialects: Object.fromEntries(named.map(({ name, dialect }) => [name, dialect.name])),
  }
}

/** The tool's own name, prefixed with the dialect's name if an earlier dialect uses the same tool name. */
const uniqueName = ({ family, name, tool }: Dialect): string =>
  dialects.find((one) => one.tool === tool)!.name === name ? tool : `${family}_${tool}`
