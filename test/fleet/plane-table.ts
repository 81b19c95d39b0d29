export const holders = [
  'admin',
  'person',
  'agent',
  'elsewhere',
  'person elsewhere',
  'admin elsewhere',
  'nobody',
] as const
type Holder = (typeof holders)[number]
export const whose = ['own', "another's", "the owner's"] as const
type Whose = (typeof whose)[number]
type Rule = (holder: Holder, of: Whose) => number | null

const anyone: Rule = () => null
const people: Rule = (holder) => (/admin|person/.test(holder) ? null : 403)
const admin: Rule = (holder) => (holder === 'admin' ? null : 403)
const forItsPhones: Rule = (holder) => (holder.includes('elsewhere') ? 404 : null)
/** An agent does not learn which phones exist. */
const peopleForTheirPhones: Rule = (holder, of) => people(holder, of) ?? forItsPhones(holder, of)
/** An agent can read only its own jobs, a person those for its phones. */
const submitter: Rule = (holder, of) => (of === 'own' || holder === 'admin' || holder === 'person' ? null : 404)

interface Row {
  may: Rule
  ok: number
  isAboutJob?: true
  path?: string
  body?: object
  headers?: Record<string, string>
}

const offline = { may: forItsPhones, ok: 503 } as const
/** Every route except those in `open`; a name `with …` is the same route with another body. */
export const planeRows: Record<string, Row> = {
  'POST /exec': { ...offline, body: { command: 'true' }, headers: { 'x-phone': 'absent' } },
  'POST /exec/:dialect': {
    ...offline,
    path: '/exec/meka',
    body: { command: 'true' },
    headers: { 'x-phone': 'absent' },
  },
  'GET /phones': { may: anyone, ok: 200 },
  'GET /phones/:name': { may: forItsPhones, ok: 200, path: '/phones/absent' },
  'GET /phones/:name/*': { ...offline, path: '/phones/absent/runs' },
  'HEAD /phones/:name/*': { ...offline, path: '/phones/absent/files?path=/x' },
  'POST /phones/:name/*': { ...offline, path: '/phones/absent/exec', body: { command: 'true' } },
  'POST /phones/:name/* with an answer': {
    may: peopleForTheirPhones,
    ok: 503,
    path: '/phones/absent/approvals/x',
    body: { decision: 'deny' },
  },
  'POST /phones/:name/* with a check': {
    may: forItsPhones,
    ok: 200,
    path: '/phones/pixel/policy/check',
    body: { command: 'true' },
  },
  'POST /phones/:name/* with settings to suppose': {
    may: (holder, of) => forItsPhones(holder, of) ?? people(holder, of),
    ok: 200,
    path: '/phones/pixel/policy/check',
    body: { command: 'true', policy: { policy: 'open' } },
  },
  'DELETE /phones/:name/*': { ...offline, path: '/phones/absent/runs/x' },
  'PUT /phones/:name/*': { ...offline, path: '/phones/absent/files?path=/x', body: {} },
  'DELETE /conflicts/:name': { may: peopleForTheirPhones, ok: 204, path: '/conflicts/absent' },
  'DELETE /enrolled/:name': { may: admin, ok: 404, path: '/enrolled/none' },
  'GET /jobs': { may: anyone, ok: 200 },
  'GET /jobs/:id': { may: submitter, ok: 200, isAboutJob: true },
  'GET /jobs/:id/events': { may: submitter, ok: 200, isAboutJob: true },
  'DELETE /jobs/:id': { may: submitter, ok: 200, isAboutJob: true },
  'GET /approvals': { may: people, ok: 200 },
  'POST /invites': { may: admin, ok: 200, body: { name: 'nokia' } },
  'GET /tokens': { may: admin, ok: 200 },
  'POST /tokens': { may: admin, ok: 200, body: { name: 'more', role: 'agent' } },
  'DELETE /tokens/:name': { may: admin, ok: 404, path: '/tokens/none' },
  'GET /metrics': { may: anyone, ok: 200 },
}
/** Routes that need no token or check it themselves. */
export const open = ['GET /phones/:name/ws', 'POST /enrol', 'GET /health']

/** The routes in the tree that Fastify prints: `/phones`, and below it `/:name (GET, HEAD)`. */
export function routesIn(tree: string): string[] {
  const path: string[] = []
  return tree.split('\n').flatMap((line) => {
    const found = /^([│├└─ ]*)([^ ]+)(?: \(([A-Z, ]+)\))?$/.exec(line)
    if (!found) return []
    const [, indent = '', segment = '', methods = ''] = found
    path.length = Math.max(0, indent.length / 4 - 1)
    path.push(segment)
    const url = path.join('').replace(/(:\w+)\*/, '$1/*')
    return methods === '' ? [] : methods.split(', ').map((method) => `${method} ${url}`)
  })
}

/** The routes of a phone that agents cannot use through a plane, whichever rights their tokens would have on the phone itself. */
export const forPeople = new Set([
  'GET /phone',
  'GET /load',
  'GET /settings',
  'GET /connections',
  'GET /access-log',
  'GET /doctor',
  'GET /approvals',
  'POST /approvals/:id',
  'DELETE /approvals/rules/:id',
  'GET /tokens',
  'POST /tokens',
  'POST /tokens/:name/rotate',
  'DELETE /tokens/:name',
  'POST /pairing',
])
