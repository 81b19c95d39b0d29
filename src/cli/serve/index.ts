/**
 * serve: starts the service and passes it what the server modules may not import: fleet membership and the boot scripts of setup.
 */
export { serve } from './start-service.ts'
export { STDERR } from '../../server/serve.ts'
