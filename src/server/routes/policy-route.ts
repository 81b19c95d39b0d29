import { Type } from '@sinclair/typebox'
import type { CheckRequest } from '../exec/index.ts'
import { check, ExecRequest, Finding, Risk, Verdict } from '../../shared/schema/index.ts'
import { errorResponses, forbidden } from '../../http/index.ts'
import { NO_DIALECT } from './reply-errors.ts'
import type { App, RouteParts } from './route-parts.ts'
import { whoOf } from './security.ts'
import { DialectName } from './tool-formats.ts'

const Policy = Type.Optional(
  Type.Object(
    {},
    {
      additionalProperties: true,
      description: 'Settings to use instead of the current ones, by their keys in config.yaml; for people only',
    },
  ),
)
const DialectCheck = Type.Object(
  {
    dialect: DialectName,
    arguments: Type.Object({}, { additionalProperties: true, description: 'The arguments of the tool' }),
    policy: Policy,
  },
  { additionalProperties: false },
)
const ExecCheck = Type.Object({ ...ExecRequest.properties, policy: Policy }, { additionalProperties: false })

const Answer = Type.Object(
  {
    verdict: Verdict,
    risk: Risk,
    opaque: Type.Boolean({ description: 'Whether the policy could not analyse the whole script' }),
    syntax_error: Type.Union([Type.String(), Type.Null()], {
      description: "Why a shell will reject the command, such as `expected 'fi' to close 'if'`; null: no certain error",
    }),
    guards: Type.Array(Finding, { description: 'What each rule of each guard found' }),
  },
  { description: 'What would happen to the command, and what each guard says about it' },
)

/** POST /policy/check: what the policy would decide, and why; runs nothing. */
export async function policyRoute(app: App, { executor }: RouteParts): Promise<void> {
  const schema = {
    summary: 'Check what the policy would decide, and why; runs nothing',
    operationId: 'checkPolicy',
    tags: ['policy'],
    body: Type.Union([ExecCheck, DialectCheck]),
    response: {
      200: Answer,
      ...errorResponses(400, 401, 413, 415, NO_DIALECT, forbidden('only a person may send policy'), {
        503: 'sandbox_unavailable: this system cannot enforce the requested sandbox',
      }),
    },
  }
  // the errors of a union name no field, so toCheckRequest checks the schema that applies
  const validatorCompiler = () => (value: unknown) => ({ value })
  app.post('/policy/check', { schema, validatorCompiler }, async (request) => {
    const checked = await executor.check(toCheckRequest(request.body), whoOf(request))
    const { verdict, risk, opaque, syntax_error, guards } = checked
    return { verdict, risk, opaque, syntax_error, guards }
  })
}

function toCheckRequest(body: unknown): CheckRequest {
  const isDialect = typeof body === 'object' && body !== null && 'dialect' in body
  if (isDialect) return check(DialectCheck, body) as CheckRequest
  const { policy, ...request } = check(ExecCheck, body) as ExecRequest & Pick<CheckRequest, 'policy'>
  return policy ? { request, policy } : { request }
}
