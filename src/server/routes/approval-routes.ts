import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { type Static, Type } from '@sinclair/typebox'
import type { Executor } from '../exec/index.ts'
import {
  answererName,
  ApprovalAnswer,
  CLI_KEY_HEADER,
  PendingApproval,
  SavedRule,
  ShellphoneError,
  type Who,
} from '../../shared/schema/index.ts'
import { errorResponses } from '../../http/index.ts'
import { PEOPLE_ONLY } from './reply-errors.ts'
import type { App, RouteParts } from './route-parts.ts'
import { addressOf, mustBePerson, forUnauthenticated, whoOf } from './security.ts'

const List = Type.Object(
  {
    approvals: Type.Array(PendingApproval, { description: 'The requests that wait for an answer' }),
    rules: Type.Array(SavedRule, { description: 'The saved approvals' }),
  },
  { description: 'The approval requests that the token may see, and the saved approvals' },
)

export const ApprovalInput = Type.Object(
  {
    decision: Type.Union([Type.Literal('approve'), Type.Literal('deny')], { description: 'The answer' }),
    scope: Type.Optional(
      Type.Union([Type.Literal('once'), Type.Literal('always')], {
        description: 'always: save it for identical requests (default: once)',
      }),
    ),
    by: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Who answers; recorded in quotes after the name of the token',
      }),
    ),
  },
  { additionalProperties: false },
)
export type ApprovalInput = Static<typeof ApprovalInput>

const RequestParams = Type.Object({ id: Type.String({ description: 'The id of the approval request' }) })
const RuleParams = Type.Object({ id: Type.String({ description: 'The id of the saved approval' }) })
const tags = ['approvals']

/** Who answers an approval request, how, and from which address. */
interface Answerer {
  who: Who
  how: string
  from: string
}

/** Answers an approval request. Throws FORBIDDEN if the token is not a person's, NOT_FOUND, and CONFLICT if the request is already decided. */
export function answerApproval(executor: Executor, id: string, input: ApprovalInput, answerer: Answerer) {
  const { decision, scope = 'once' } = input
  const { who, how, from } = answerer
  mustBePerson(who)
  return executor.approvals.answer(id, { decision, scope, by: answererName(who.name, input.by), how, from })
}

/** Pending approvals, the answers to them, and saved approvals. */
export async function approvalRoutes(app: App, { executor, security, cliKey, accessLog }: RouteParts): Promise<void> {
  const { approvals } = executor
  const listSchema = {
    summary: 'List pending and saved approvals; a token that is not a person’s lists only its own requests',
    operationId: 'listApprovals',
    tags,
    response: { 200: List, ...errorResponses(401) },
  }
  app.get('/approvals', { schema: listSchema }, async (request) => {
    const { id, approves } = whoOf(request)
    const rules = approvals.rules().map(({ digest: _digest, ...rule }) => rule)
    if (approves === 'all') return { approvals: approvals.pending(), rules }
    return { approvals: approvals.pending().filter(({ token_id }) => token_id === id), rules: [] }
  })

  const answerSchema = {
    summary: 'Approve or deny a request',
    operationId: 'answerApproval',
    tags,
    params: RequestParams,
    body: ApprovalInput,
    response: {
      200: ApprovalAnswer,
      ...errorResponses(400, 401, PEOPLE_ONLY, {
        404: 'no approval request has this id',
        409: 'the request has already been answered, has timed out, or its run was canceled',
      }),
    },
  }
  app.post('/approvals/:id', { schema: answerSchema }, async (request) => {
    const how = answeredBy(request.headers, cliKey) ?? 'http'
    return answerApproval(executor, request.params.id, request.body, {
      who: whoOf(request),
      how,
      from: addressOf(request),
    })
  })

  const revokeSchema = {
    summary: 'Revoke a saved approval',
    operationId: 'revokeRule',
    tags,
    params: RuleParams,
    response: {
      204: { type: 'null', description: 'The saved approval is revoked' },
      ...errorResponses(401, PEOPLE_ONLY, { 404: 'no saved approval has this id' }),
    },
  }
  app.delete('/approvals/rules/:id', { schema: revokeSchema }, async (request, reply) => {
    const who = whoOf(request)
    mustBePerson(who)
    const rule = approvals.rules().find(({ id }) => id === request.params.id)
    approvals.revoke(request.params.id)
    accessLog.note({ what: 'rule_revoked', token: rule?.token ?? null, by: who.name, from: addressOf(request) })
    return reply.code(204).send()
  })

  const pressSchema = {
    summary: "Answer with a notification's button; its nonce works once and is the only credential",
    operationId: 'pressButton',
    tags,
    security: [],
    params: Type.Object({ nonce: Type.String({ description: 'The nonce of the button; it works once' }) }),
    response: {
      200: ApprovalAnswer,
      ...errorResponses(413, 429, {
        401: 'no pending request has a button with this nonce',
        409: 'the request has already been answered',
      }),
    },
  }
  app.post('/approvals/press/:nonce', { schema: pressSchema, ...forUnauthenticated }, async (request) => {
    try {
      return approvals.press(request.params.nonce, 'phone', 'notification', addressOf(request))
    } catch (error) {
      if (error instanceof ShellphoneError && error.code === 'NOT_FOUND') return security.refuse(request)
      throw error
    }
  })
}

/** `cli` if the request shows `cliKey`, which only our own command line can read from the home directory; otherwise null. */
export function answeredBy(headers: IncomingHttpHeaders, cliKey: string): 'cli' | null {
  const expected = Buffer.from(cliKey)
  const received = Buffer.from(String(headers[CLI_KEY_HEADER] ?? ''))
  return received.length === expected.length && timingSafeEqual(received, expected) ? 'cli' : null
}
