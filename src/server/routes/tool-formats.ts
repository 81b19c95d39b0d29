import { Type } from '@sinclair/typebox'
import type { Dialect } from '../dialects/index.ts'
import { oneWordOf, SessionName } from '../../shared/schema/index.ts'

const formats = ['openai', 'openai-chat', 'anthropic', 'mcp'] as const
type Format = (typeof formats)[number]

export const DialectName = Type.String({
  description: 'The name of the dialect, or DIALECT/TOOL, as GET /dialects lists it',
})
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

export const ListQuery = Type.Object(
  {
    format: Type.Optional(
      oneWordOf(formats, {
        description:
          'Return tools in the format of this API (anthropic: Messages; openai: Responses; openai-chat: chat completions; default: all about the dialects)',
      }),
    ),
    dialect: Type.Optional(
      Type.String({ maxLength: 64, description: 'Return only the tools of this dialect (default: all)' }),
    ),
  },
  { additionalProperties: false },
)

/** A list of tools for one API, and the dialect for each tool (POST /exec/:dialect). */
export const ToolList = Type.Object({
  tools: Type.Array(Type.Object({}, { additionalProperties: true }), {
    description: 'The tools, as the API wants them',
  }),
  dialects: Type.Record(Type.String(), Type.String(), {
    description:
      'The dialect by the name of the tool in a call, or for a tool of OpenAI by the type of the call, such as shell_call; for DIALECT/TOOL, call POST /exec/DIALECT?tool=TOOL',
  }),
})

/** How each API describes a tool that its models do not know. */
const toTool: Record<Format, (name: string, dialect: Dialect) => object> = {
  openai: (name, { description, parameters }) => ({ type: 'function', name, description, parameters, strict: false }),
  'openai-chat': (name, { description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }),
  anthropic: (name, { description, parameters }) => ({ name, description, input_schema: parameters }),
  mcp: (name, { description, parameters }) => ({ name, description, inputSchema: parameters }),
}

/** The tools of one dialect, or of all, in the format of one API. */
export function toolList(format: Format, shown: Dialect[]) {
  const named = shown.map((dialect) => {
    if (dialect.native?.api === format) return { name: nativeName(dialect), dialect, tool: dialect.native.definition }
    const name = uniqueName(dialect, shown)
    return { name, dialect, tool: toTool[format](name, dialect) }
  })
  return {
    tools: named.map(({ tool }) => tool),
    dialects: Object.fromEntries(named.map(({ name, dialect }) => [name, dialect.name])),
  }
}

/** A call of OpenAI's own tools has a type in place of a name. */
const nativeName = ({ tool, native }: Dialect): string => (native?.api === 'openai' ? `${tool}_call` : tool)

/** The tool's own name, prefixed with the dialect's name if an earlier dialect of the list uses the same tool name. */
const uniqueName = ({ family, name, tool }: Dialect, shown: Dialect[]): string =>
  shown.find((one) => one.tool === tool)!.name === name ? tool : `${family}_${tool}`
