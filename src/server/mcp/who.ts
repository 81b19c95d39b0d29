import type { AuthInfo, ServerContext } from '@modelcontextprotocol/server'
import { type Executor, seenBy } from '../exec/index.ts'
import { OWNER, type Who } from '../../shared/schema/index.ts'

/** Whose call it is, in the SDK's words; routes have looked at the token. */
export const toAuthInfo = (who: Who): AuthInfo => ({ token: '', clientId: who.id, scopes: [], extra: { who } })

/** Nobody comes here without a token, and by stdio the owner alone. */
export const whoIn = ({ http }: ServerContext): Who => (http?.authInfo?.extra?.who as Who | undefined) ?? OWNER

/** The executor as whoever calls sees it. */
export const seenIn = (ctx: ServerContext, executor: Executor): Executor => seenBy(executor, whoIn(ctx))
