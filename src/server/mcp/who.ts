import type { AuthInfo, ServerContext } from '@modelcontextprotocol/server'
import { type Executor, seenBy } from '../exec/index.ts'
import { OWNER, type Who } from '../../shared/schema/index.ts'

/** Converts the caller to the SDK's form. The route has already checked the token. */
export const toAuthInfo = (who: Who): AuthInfo => ({ token: '', clientId: who.id, scopes: [], extra: { who } })

/** Returns the caller. Over HTTP every request has a token; only the owner can connect over stdio. */
export const whoIn = ({ http }: ServerContext): Who => (http?.authInfo?.extra?.who as Who | undefined) ?? OWNER

/** Returns the executor, limited to what the caller may see. */
export const seenIn = (ctx: ServerContext, executor: Executor): Executor => seenBy(executor, whoIn(ctx))
