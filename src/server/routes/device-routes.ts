import { Type } from '@sinclair/typebox'
import { LoadSample, MAX_LOAD_MINUTES, MIN_LOAD_MINUTES, PhoneStatus, ShownSetting } from '../../shared/schema/index.ts'
import { errorResponses } from '../../http/index.ts'
import { PEOPLE_ONLY } from './reply-errors.ts'
import type { App, RouteParts } from './route-parts.ts'
import { mustBePerson, whoOf } from './security.ts'

const tags = ['operation']

const LoadQuery = Type.Object(
  {
    minutes: Type.Optional(
      Type.Integer({
        minimum: MIN_LOAD_MINUTES,
        maximum: MAX_LOAD_MINUTES,
        description: `The span in minutes (default: ${MIN_LOAD_MINUTES}); a longer span has one sample for each minute`,
      }),
    ),
  },
  { additionalProperties: false },
)

/** For the owner: the state of the phone, its load and the settings in force, all read-only. */
export async function deviceRoutes(app: App, { phone, load, settings }: RouteParts): Promise<void> {
  const phoneSchema = {
    summary: 'Battery, network and storage of the phone, at most a minute old; takes up to 20 s',
    operationId: 'getPhone',
    tags,
    response: { 200: PhoneStatus, ...errorResponses(401, PEOPLE_ONLY) },
  }
  app.get('/phone', { schema: phoneSchema }, async (request) => {
    mustBePerson(whoOf(request))
    return phone()
  })

  const loadSchema = {
    summary: 'Load of the service over the last ten minutes, or up to 24 hours',
    operationId: 'getLoad',
    tags,
    querystring: LoadQuery,
    response: {
      200: Type.Object(
        { samples: Type.Array(LoadSample, { description: 'Oldest first; the last one is current' }) },
        { description: 'The load in the span' },
      ),
      ...errorResponses(400, 401, PEOPLE_ONLY),
    },
  }
  app.get('/load', { schema: loadSchema }, async (request) => {
    mustBePerson(whoOf(request))
    return { samples: await load(request.query.minutes) }
  })

  const settingsSchema = {
    summary: 'List all settings: value, default and source',
    operationId: 'listSettings',
    tags,
    response: {
      200: Type.Object(
        {
          config_file: Type.String({ description: 'The path of config.yaml, which need not exist' }),
          settings: Type.Array(ShownSetting, { description: 'All settings' }),
        },
        { description: 'The settings in force, and where each value comes from' },
      ),
      ...errorResponses(401, PEOPLE_ONLY),
    },
  }
  app.get('/settings', { schema: settingsSchema }, async (request) => {
    mustBePerson(whoOf(request))
    return settings()
  })
}
