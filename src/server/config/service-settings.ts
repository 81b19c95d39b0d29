import { Type } from '@sinclair/typebox'
import { bytes, count, flag, live, number, oneOf, orNull, path, seconds, setting, strings } from './shapes.ts'

/** Where the service listens, who may call, how it stops, what it keeps and whom it asks. To add a setting, add a row. */
export const serviceSettings = {
  host: setting(
    'Where to listen; `0.0.0.0` for the LAN',
    Type.String({ minLength: 1, default: '127.0.0.1', unit: 'address' }),
  ),
  port: setting('TCP port; 0 lets the system choose', count(0, 65_535, 8029, 'port')),
  tls: setting(
    'HTTPS with a certificate of its own as soon as others can connect (`auto`: plain HTTP is for this machine alone then), or plain HTTP for all',
    oneOf(['auto', 'off']),
  ),
  tls_certificate: setting("A certificate of the owner's instead, PEM", orNull(path(null)), 'none'),
  tls_key: setting('Its key, PEM', orNull(path(null)), 'none'),
  tls_client_ca: setting(
    'Who connects by TLS must show a certificate of this authority, PEM',
    orNull(path(null)),
    'none',
  ),
  page: setting('Serve the page, for browsers, at `/`', flag(true)),
  allowed_origins: live(
    setting('Web origins that may call (`https://app.example`); all others get 403', strings('origins')),
  ),
  allowed_hosts: live(setting('Host names that may be called beside IP literals and `localhost`', strings('names'))),
  body_limit_bytes: setting('Largest request body, and largest WebSocket message', bytes(1024, 67_108_864, 8_388_608)),
  max_connections: setting(
    'Open connections; further ones are closed at once, those first that have not shown the token',
    count(1, 65_535, 1024, 'connections'),
  ),
  max_failed_logins_per_minute: setting(
    'Wrong tokens from one address before it gets 429, whatever it shows then, but on connections that have shown the right one',
    count(1, 100_000, 20, 'per address'),
  ),
  log_level: live(
    setting(
      'What pino logs; never a token, a command or output',
      oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'silent'], 'info'),
    ),
  ),
  stop_grace_seconds: setting('On SIGTERM what runs gets SIGTERM, and SIGKILL after this', seconds(0, 60, 5)),
  history: setting('Keep records and whole outputs on disk; without it they live in memory, for a while', flag(true)),
  history_max_age_days: setting('Older records are forgotten', number(0.001, 36_500, 30, 'days')),
  history_max_count: setting('The oldest records beyond this are forgotten', count(1, 1_000_000, 20_000, 'records')),
  max_run_spool_bytes: setting('Output kept of one command; the rest is counted', bytes(65_536, 2 ** 40, 67_108_864)),
  max_spool_bytes: setting(
    'Output kept in all; that of the oldest ended commands goes first',
    bytes(65_536, 2 ** 40, 1_073_741_824),
  ),
  min_free_bytes: setting('Output is kept only while so much of the disk stays free', bytes(0, 2 ** 40, 104_857_600)),
  redact: setting(
    'Replace known shapes of secrets in what history stores of commands; never in what is answered',
    flag(true),
  ),
  approval_timeout_seconds: setting(
    'How long a command waits for a person; silence is no. 0: nobody can be asked, and asking is denying',
    seconds(0, 86_400, 120),
  ),
  max_pending_approvals: setting(
    'Questions that wait for a person; further ones are denied',
    count(1, 10_000, 32, 'questions'),
  ),
  approval_notifications: setting(
    'Questions as notifications with Approve and Deny, where `$PREFIX/bin/termux-notification` is; Approve works on a locked screen, so high risk and what does not fit are approved in a terminal alone',
    flag(true),
  ),
  approval_command: setting(
    'A program of yours that is run for each question, with the question as JSON on its stdin, for at most 10 s: `["notify-send", "Shellphone asks"]`',
    orNull(strings('argv', null)),
  ),
  approval_url: setting(
    'Where a POST says that a question waits, and the page where it is answered; never what is asked: `https://ntfy.sh/YOUR-SECRET-TOPIC`',
    orNull(Type.String({ pattern: '^https?://', default: null, unit: 'URL' })),
  ),
  mcp_patience_seconds: setting(
    'A tool call of MCP that takes longer is answered with a handle, and its command runs on; clients give up after 60 s',
    seconds(0.1, 240, 45),
  ),
  fleet: setting('Join the fleet of `fleet.json` in the home, which `shellphone fleet join` writes', flag(true)),
  fleet_max_requests: setting('Requests of the fleet at once; further ones get 503', count(1, 1024, 64, 'requests')),
  fleet_beat_seconds: setting('How often the phone tells the fleet how it is', seconds(5, 3600, 60)),
  fleet_labels: live(
    setting(
      'What the phone says of itself, for people to see: `lab=berlin`, `arm64`; selectors go by the labels of its invitation alone',
      strings('labels'),
    ),
  ),
  fleet_reconnect_seconds: setting(
    'Longest wait before it connects again; shorter ones come first, each anywhere within a spread',
    seconds(1, 3600, 30),
  ),
  plane_host: setting(
    'Where the control plane of a fleet listens (`shellphone fleet serve`), in plain HTTP: for others a proxy with TLS stands before it',
    Type.String({ minLength: 1, default: '127.0.0.1', unit: 'address' }),
  ),
  plane_port: setting('Its TCP port; 0 lets the system choose', count(0, 65_535, 8030, 'port')),
  plane_directory: setting(
    'Where its `plane.json` is, which `shellphone fleet init` writes',
    orNull(path(null)),
    '`plane` in the home',
  ),
  plane_webhook: setting(
    'A URL that hears by POST of each question of a phone: which phone, which question, never what is asked',
    orNull(Type.String({ pattern: '^https?://', default: null, unit: 'URL' })),
    'none',
  ),
  plane_max_pairs: setting(
    'Commands of jobs that wait for their phones, of all phones together; a job beyond them gets 503',
    count(1, 10_000_000, 1_000_000, 'commands'),
  ),
  approval_rule_days: setting('An approval given for always expires after this', number(0.001, 36_500, 30, 'days')),
}
