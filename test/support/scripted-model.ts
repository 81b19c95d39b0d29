import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One tool call of a model: the name of the tool and its arguments. */
interface ModelCall {
  tool: string
  input: Record<string, unknown>
}

/** The result of a tool call as the model receives it: a text, or the JSON of what a provider's own tool returns. */
export interface ModelResult {
  tool: string
  text: string
  isError: boolean
}

/** What a model calls next, after these results of all earlier calls. It ends with a text after the last turn. */
export type Turn = ModelCall[] | ((results: ModelResult[]) => ModelCall[])

type Json = Record<string, any>

/** How one provider's API shows calls and results. */
interface Wire {
  reply(calls: Json[], text: string | null): Json
  toCall(call: ModelCall, id: string): Json
  /** the results in a request, by the ids of their calls */
  results(body: Json): [id: string, result: Omit<ModelResult, 'tool'>][]
}

const texts = (content: unknown): string =>
  typeof content === 'string' ? content : ((content ?? []) as Json[]).map(({ text }) => text).join('\n')

/** Anthropic's Messages API. */
const messages: Wire = {
  reply: (calls, text) => ({
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'scripted' },
    content: text === null ? calls : [{ type: 'text', text }],
    stop_reason: text === null ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }),
  toCall: ({ tool, input }, id) => ({ type: 'tool_use', id, name: tool, input }),
  results: ({ messages: all }) =>
    (all as Json[])
      .flatMap(({ content }) => (typeof content === 'string' ? [] : (content as Json[])))
      .filter(({ type }) => type === 'tool_result')
      .map(({ tool_use_id, content, is_error }) => [tool_use_id, { text: texts(content), isError: is_error === true }]),
}

/** OpenAI's own tools, and where their calls have the arguments; every other tool is a function. */
const ownTools: Record<string, object> = { shell: { status: 'completed' }, local_shell: {}, apply_patch: {} }
const asText = (output: unknown) => (typeof output === 'string' ? output : JSON.stringify(output))

/** OpenAI's Responses API. */
const responses: Wire = {
  reply: (calls, text) => ({
    ...{ id: 'resp_1', object: 'response', created_at: 0, status: 'completed', model: 'scripted' },
    ...{ error: null, incomplete_details: null, parallel_tool_calls: true, tool_choice: 'auto', tools: [] },
    output: text === null ? calls : [messageItem(text)],
    usage: {
      ...{ input_tokens: 1, output_tokens: 1, total_tokens: 2 },
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    },
  }),
  toCall: ({ tool, input }, id) => {
    const item = { id: `item_${id}`, call_id: id, status: 'completed' }
    return tool in ownTools
      ? { ...item, type: `${tool}_call`, ...input }
      : { ...item, type: 'function_call', name: tool, arguments: JSON.stringify(input) }
  },
  results: ({ input }) =>
    (input as Json[])
      .filter(({ type }) => String(type).endsWith('_output'))
      .map(({ type, id, call_id, status, output }) => [
        call_id ?? id,
        {
          text: type === 'apply_patch_call_output' ? JSON.stringify({ status, output }) : asText(output),
          isError: false,
        },
      ]),
}
const messageItem = (text: string) => ({
  ...{ type: 'message', id: 'item_end', role: 'assistant', status: 'completed' },
  content: [{ type: 'output_text', text, annotations: [] }],
})

const wires: Record<string, Wire> = { '/v1/messages': messages, '/v1/responses': responses }

/** The text with which a scripted model ends. */
export const LAST_TEXT = 'The task is complete.'

/**
 * Starts a model that makes a fixed sequence of tool calls, on loopback. It speaks the Messages API of Anthropic and the Responses API of OpenAI,
 * without streams; each request continues with the next turn.
 */
export async function startScriptedModel(turns: Turn[]) {
  const requests: Json[] = []
  const results: ModelResult[] = []
  const names = new Map<string, string>() // the tools by the ids of their calls, in order
  function next(wire: Wire, body: Json): Json {
    const byId = new Map(wire.results(body))
    // a client sends the whole conversation each time, or only what is new
    for (const [id, tool] of [...names].slice(results.length)) {
      const result = byId.get(id)
      if (!result) throw new Error(`no result of ${tool}, the call ${id}`)
      results.push({ tool, ...result })
    }
    const turn = turns[requests.length - 1]
    if (turn === undefined) return wire.reply([], LAST_TEXT)
    const calls = typeof turn === 'function' ? turn(results) : turn
    return wire.reply(
      calls.map((call) => {
        const id = `call_${names.size + 1}`
        names.set(id, call.tool)
        return wire.toCall(call, id)
      }),
      null,
    )
  }
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const path = request.url!.replace(/\?.*/, '')
    const say = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    try {
      const body = JSON.parse(text) as Json
      requests.push(body)
      say(200, next(wires[path]!, body))
    } catch (error) {
      say(400, { type: 'error', error: { type: 'invalid_request_error', message: String(error) } })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** the bodies of all requests */
    requests,
    /** the results of all calls so far, in the order of the calls */
    results,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
