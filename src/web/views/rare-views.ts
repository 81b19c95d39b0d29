/** The views that few people open; on-demand.tsx loads them together when somebody opens the first of them. */
export { Access } from './access.tsx'
export { AccessLog } from './access-log.tsx'
export { Doctor } from './doctor.tsx'
export { Phone } from './phone.tsx'
export { Phones } from './phones.tsx'
export { Policy } from './policy.tsx'
export { Rules } from './rules.tsx'
export { Settings } from './settings.tsx'
