/**
 * serve: starts the service, and hands it what the server's folders cannot import: the place in a fleet, and what setup writes.
 */
export { serve } from './start-service.ts'
export { STDERR } from '../../server/serve.ts'
