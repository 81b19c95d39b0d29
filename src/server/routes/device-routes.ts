import { Type } from '@sinclair/typebox'
import { LoadSample, PhoneStatus, ShownSetting } from '../../shared/schema/index.ts'
import { errorResponses } from '../../http/index.ts'
import { PEOPLE_ONLY } from './reply-errors.ts'
import type { App, RouteParts } from './route-parts.ts'
import { mustBePerson, whoOf } from './security.ts'

const tags = ['operation']

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
    summary: 'Load of the service over the last ten minutes; between two samples, no run began or ended',
    operationId: 'getLoad',
    tags,
    response: {
      200: Type.Object(
        { samples: Type.Array(LoadSample, { description: 'One sample for every five seconds, oldest first' }) },
        { description: 'The load of the last ten minutes' },
      ),
      ...errorResponses(401, PEOPLE_ONLY),
    },
  }
  app.get('/load', { schema: loadSchema }, async (request) => {
    mustBePerson(whoOf(request))
    return { samples: await load() }
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
