/**
 * serve: starts the service, and passes in the parts that the server modules may not import: the fleet membership and the boot scripts of setup.
 */
export { serve } from './start-service.ts'
export { STDERR } from '../../server/serve.ts'
