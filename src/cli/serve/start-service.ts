import { serve as serveWith, type Serving } from '../../server/serve.ts'
import type { Config } from '../../server/settings.ts'
import { openMembership } from './open-membership.ts'

/** Starts the service with its fleet membership and the boot scripts that setup can write. */
export const serve = (read: () => Promise<Config>, logTo?: number): Promise<Serving> =>
  serveWith(read, { openMembership, loadBootScripts }, logTo)

const loadBootScripts = async () => (await import('../setup/index.ts')).bootScripts
