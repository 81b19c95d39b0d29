import type { Examples } from './complete-document.ts'

const at = '2026-01-31T10:20:30.400Z'
const newToken = 'dGhpcyBpcyBub3QgYSB0b2tlbiwgb25seSBhbiBleGFtcGxl'
const later = '2026-01-31T10:35:30.400Z'
const job = '01k7g7y3sgv0m2q4t8j6x1n5zb'
const ended = {
  state: 'ended',
  run_id: 'jngn5v06pqp4a6aa',
  status: 'completed',
  exit_code: 0,
  duration_ms: 12,
  output: 'aarch64\n',
}
const phone = {
  ...{ name: 'pixel', online: true, last_seen: at, version: '0.1.0', labels: { lab: 'berlin' } },
  ...{ reported_labels: {}, battery: 81, running: 0, queued: 0, pending_approvals: 1, conflict_since: null },
}
const token = { name: 'robot', role: 'agent', select: 'lab=berlin', created_at: at }
const summary = { job, by: 'robot', request: { command: 'uname -m' }, submitted_at: at, expires_at: later }
const whole = {
  ...summary,
  ...{ counts: { ended: 1, queued: 1 }, phones: { pixel: ended, nexus: { state: 'queued' } } },
}
const key = `U${'A'.repeat(55)}`
const invite = 'q83vEjRWeJq83vEjRWeJqw'
const approval = {
  ...{ phone: 'pixel', id: 'jngn5v06pqp4a6ab', run_id: 'jngn5v06pqp4a6aa', command: 'cat todo | sh' },
  ...{ working_directory: '/home/you', dialect: 'oneclaw', token: 'robot', token_id: 'robot', sandbox: 'none' },
  ...{ network: true, writable: [], files: [], env: {}, stdin: null, rule: 'opaque', risk: 'medium' },
  ...{ reason: 'It is unclear what this would run. Write the commands out in full.', requested_at: at },
  ...{ expires_at: later, always: null },
}

/** Examples and descriptions of the control plane's own operations. */
export const planeExamples: Examples = {
  descriptions: {
    'POST /exec':
      'Responds after wait_seconds at the latest, with what each phone has sent until then; the commands continue. With queue_seconds, responds at once and also reaches phones that are offline now. An Idempotency-Key makes a repetition safe on every phone.',
    'GET /phones':
      'online is what the control plane and the broker agree on. A phone whose network fails without a word counts as online for up to 150 s.',
    'DELETE /conflicts/{name}':
      'Two devices use the identity of one phone. First remove one of them, so that the right one is connected.',
    'GET /jobs/{id}':
      'phones has one entry for each phone that the token reaches; a token with fewer phones sees fewer.',
    'DELETE /jobs/{id}': 'A command that was not sent is withdrawn; a running one gets a cancellation on its phone.',
    'GET /jobs/{id}/events':
      'The stream first sends the current state of each phone, so a client can reconnect at any time.',
    'GET /approvals': 'Only for people. Answer one with POST /phones/NAME/approvals/ID.',
    'POST /invites':
      'Only for admins. The link is for shellphone fleet join on the phone; it works once, for 15 minutes.',
    'POST /tokens':
      'Only for admins. The token is returned only here. Its selector limits everything that it can reach.',
    'GET /tokens': 'Only for admins.',
    'DELETE /enrolled/{name}':
      'The control plane sends it nothing from now on. shellphone fleet revoke also writes the key into the configuration of the broker.',
  },
  jsonBodies: {
    'POST /exec': { phones: 'lab=berlin', command: 'uname -m' },
    'POST /invites': { name: 'pixel', labels: ['lab=berlin'] },
    'POST /enrol': { invite, public_key: key, home: 'c5b0c1f3', version: '0.1.0' },
    'POST /tokens': { name: 'robot', role: 'agent', select: 'lab=berlin' },
  },
  replies: {
    'POST /exec 200': {
      job,
      counts: { ended: 1, running: 0, offline: 0, silent: 0 },
      phones: { pixel: { ...ended, stdout: 'aarch64\n', stderr: '' } },
    },
    'POST /exec 202': { job, phones: 2 },
    'GET /phones 200': { phones: [phone] },
    'GET /phones/{name} 200': phone,
    'DELETE /enrolled/{name} 200': { name: 'pixel', public_key: key },
    'GET /jobs 200': { jobs: [{ ...summary, phones: 2, unfinished: 1 }] },
    'GET /jobs/{id} 200': whole,
    'DELETE /jobs/{id} 200': { job, phones: { pixel: 'settled', nexus: 'withdrawn' } },
    'GET /approvals 200': { approvals: [approval], silent: [] },
    'POST /invites 200': { name: 'pixel', invite, link: `https://fleet.example.com/#i=${invite}`, expires_at: later },
    'POST /enrol 200': {
      name: 'pixel',
      jwt: 'eyJ0eXAi',
      servers: ['tls://fleet.example.com:4222'],
      ca: null,
      plane_keys: [key],
    },
    'GET /tokens 200': { tokens: [token] },
    'POST /tokens 200': { ...token, token: newToken, link: `https://fleet.example.com/#token=${newToken}` },
    'GET /health 200': { status: 'ok', version: '0.1.0' },
    'GET /health 503': { status: 'no_broker', version: '0.1.0' },
  },
}
