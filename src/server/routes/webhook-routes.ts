import { Type } from '@sinclair/typebox'
import { PutWebhook, Webhook, WebhookInput, WebhookName } from '../../shared/schema/index.ts'
import { errorResponses } from '../../http/index.ts'
import { listedFor, OWN_ONLY, OwnersQuery } from './all-tokens.ts'
import type { App, RouteParts } from './route-parts.ts'
import { whoOf } from './security.ts'

const tags = ['webhooks']
const Params = Type.Object({ name: WebhookName })
const NO_WEBHOOK = { 404: 'no webhook of this token has this name' }

/** The webhooks of the token: it changes only its own. A token that may read all runs can list the webhooks of all tokens. */
export async function webhookRoutes(app: App, { webhooks }: RouteParts): Promise<void> {
  const listSchema = {
    summary: "List the token's webhooks, or those of all tokens, with their last deliveries",
    operationId: 'listWebhooks',
    tags,
    querystring: OwnersQuery,
    response: {
      200: Type.Object(
        { webhooks: Type.Array(Webhook, { description: 'The webhooks, in order of creation' }) },
        {
          description:
            'The webhooks and subscriptions of the token, or of all tokens with only the origin of each URL, without their secrets',
        },
      ),
      ...errorResponses(400, 401, OWN_ONLY),
    },
  }
  app.get('/webhooks', { schema: listSchema }, async (request) => ({
    webhooks: webhooks.list(listedFor(request.query, whoOf(request))),
  }))

  const getSchema = {
    summary: 'Get a webhook with its last deliveries',
    operationId: 'getWebhook',
    tags,
    params: Params,
    response: { 200: Webhook, ...errorResponses(400, 401, NO_WEBHOOK) },
  }
  app.get('/webhooks/:name', { schema: getSchema }, async (request) =>
    webhooks.get(request.params.name, whoOf(request)),
  )

  const putSchema = {
    summary:
      'Create or change a webhook, to which the events of GET /events are sent; its secret is returned only once',
    operationId: 'putWebhook',
    tags,
    params: Params,
    body: WebhookInput,
    response: {
      200: { ...PutWebhook, description: 'The webhook is changed; secret is null unless it is new' },
      201: { ...PutWebhook, description: 'The webhook is created; this is the only response with its secret' },
      ...errorResponses(400, 401, {
        409: 'the token already has eight webhooks and subscriptions, or the name is that of a subscription',
      }),
    },
  }
  app.put('/webhooks/:name', { schema: putSchema }, async (request, reply) => {
    const { isNew, ...answer } = webhooks.put(request.params.name, request.body, whoOf(request))
    return reply.code(isNew ? 201 : 200).send(answer)
  })

  const deleteSchema = {
    summary: 'Delete a webhook and the events that wait for it',
    operationId: 'deleteWebhook',
    tags,
    params: Params,
    response: { 204: { type: 'null', description: 'The webhook is deleted' }, ...errorResponses(400, 401, NO_WEBHOOK) },
  }
  app.delete('/webhooks/:name', { schema: deleteSchema }, async (request, reply) => {
    webhooks.remove(request.params.name, whoOf(request))
    return reply.code(204).send()
  })
}
