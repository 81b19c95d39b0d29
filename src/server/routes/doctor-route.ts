import { DoctorReport } from '../../shared/schema/index.ts'
import { errorResponses } from '../../http/index.ts'
import { PEOPLE_ONLY } from './reply-errors.ts'
import type { App, RouteParts } from './route-parts.ts'
import { mustBePerson, whoOf } from './security.ts'

/** GET /doctor: the report of `shellphone doctor`. It is for people only, because agents do not need to know the weaknesses of a phone. */
export async function doctorRoute(app: App, { doctor }: RouteParts): Promise<void> {
  const schema = {
    summary: 'Problems of this machine, why they matter and how to fix them; takes up to 15 s',
    operationId: 'getDoctor',
    tags: ['operation'],
    response: { 200: DoctorReport, ...errorResponses(401, PEOPLE_ONLY) },
  }
  app.get('/doctor', { schema }, async (request) => {
    mustBePerson(whoOf(request))
    return doctor()
  })
}
