import { DoctorReport } from '../schema/index.ts'
import { errorResponses } from './errors.ts'
import type { App, RouteParts } from './parts.ts'

/** GET /doctor: what `shellphone doctor` tells, for the page. */
export async function doctorRoute(app: App, { doctor }: RouteParts): Promise<void> {
  const schema = {
    summary: 'What is wrong here, why it matters and the one thing to do; takes up to 15 s',
    operationId: 'getDoctor',
    tags: ['operation'],
    response: { 200: DoctorReport, ...errorResponses(401) },
  }
  app.get('/doctor', { schema }, () => doctor())
}
