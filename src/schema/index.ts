/**
 * schema: the words that all rooms share: requests, decisions, records, errors, and the spawner's interface.
 * It imports nothing of ours. To add a field, change its TypeBox schema here; routes, WebSocket and openapi.yaml follow.
 */
export * from './address.ts'
export * from './approval.ts'
export * from './check.ts'
export * from './cli-key.ts'
export * from './decision.ts'
export * from './doctor.ts'
export * from './errors.ts'
export * from './file.ts'
export * from './fleet.ts'
export * from './fleet-routes.ts'
export * from './fleet-selector.ts'
export * from './is-within.ts'
export * from './per-run.ts'
export * from './phone.ts'
export * from './record.ts'
export * from './request.ts'
export * from './setting.ts'
export * from './spawner.ts'
export * from './token.ts'
export * from './visible.ts'
