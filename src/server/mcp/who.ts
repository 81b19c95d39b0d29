import type { AuthInfo, ServerContext } from '@modelcontextprotocol/server'
import { type Executor, seenBy } from '../exec/index.ts'
import { type McpExchange, OWNER, type Who } from '../../shared/schema/index.ts'

/** Converts the caller to the SDK's form. The route has already checked the token. */
export const toAuthInfo = ({ who, session }: Pick<McpExchange, 'who' | 'session'>): AuthInfo => ({
  token: '',
  clientId: who.id,
  scopes: [],
  extra: { who, session },
})

/** Returns the caller. Over HTTP every request has a token; only the owner can connect over stdio. */
export const whoIn = ({ http }: ServerContext): Who => (http?.authInfo?.extra?.who as Who | undefined) ?? OWNER

/** Returns the session of commands that name none; undefined: no session. */
export const sessionIn = ({ http }: ServerContext): string | undefined =>
  http?.authInfo?.extra?.session as string | undefined

/** Returns the executor, limited to what the caller may see. */
export const seenIn = (ctx: ServerContext, executor: Executor): Executor => seenBy(executor, whoIn(ctx))
