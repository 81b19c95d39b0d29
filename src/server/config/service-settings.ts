import { Type } from '@sinclair/typebox'
import { bytes, count, flag, live, number, oneOf, orNull, path, seconds, setting, strings } from './shapes.ts'

/** Where the service listens, who may call it, how it stops, what it stores and whom it asks. To add a setting, add a row. */
export const serviceSettings = {
  host: setting(
    'Where to listen; `0.0.0.0` for the LAN',
    Type.String({ minLength: 1, default: '127.0.0.1', unit: 'address' }),
  ),
  port: setting('TCP port; 0 lets the system choose', count(0, 65_535, 8029, 'port')),
  tls: setting(
    '`auto`: HTTPS with its own certificate beyond loopback, plain HTTP for this machine only; `off`: plain HTTP for everyone',
    oneOf(['auto', 'off']),
  ),
  tls_certificate: setting('Your own certificate chain in place of the generated one, PEM', orNull(path(null)), 'none'),
  tls_key: setting('The private key of your own certificate, PEM', orNull(path(null)), 'none'),
  tls_client_ca: setting('TLS clients must show a certificate of this authority, PEM', orNull(path(null)), 'none'),
  page: setting('Serve the page for browsers at `/`', flag(true)),
  allowed_origins: live(
    setting('Web origins that may call the service (`https://app.example`); all others get 403', strings('origins')),
  ),
  allowed_hosts: live(
    setting('Host names that requests may use, besides IP literals and `localhost`', strings('names')),
  ),
  body_limit_bytes: setting('Largest request body and WebSocket message', bytes(1024, 67_108_864, 8_388_608)),
  max_connections: setting(
    'Open connections at once; when full, one that has shown no token is closed first',
    count(1, 65_535, 1024, 'connections'),
  ),
  max_failed_logins_per_minute: setting(
    'Wrong tokens from one address per minute before it gets 429; right tokens still work',
    count(1, 100_000, 20, 'per address'),
  ),
  log_level: live(
    setting(
      'Log level; the log never contains a token, a command or output',
      oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'silent'], 'info'),
    ),
  ),
  stop_grace_seconds: setting(
    'When the service stops, runs get SIGTERM, and SIGKILL after this time',
    seconds(0, 60, 5),
  ),
  history: setting(
    'Store records and complete outputs on disk; otherwise they stay in memory for a short time',
    flag(true),
  ),
  history_max_age_days: setting('Delete records older than this', number(0.001, 36_500, 30, 'days')),
  history_max_count: setting('Delete the oldest records beyond this number', count(1, 1_000_000, 20_000, 'records')),
  max_run_spool_bytes: setting(
    'Output stored of one run; the rest is only counted',
    bytes(65_536, 2 ** 40, 67_108_864),
  ),
  max_spool_bytes: setting(
    'Output stored in total; that of the oldest ended runs is deleted first',
    bytes(65_536, 2 ** 40, 1_073_741_824),
  ),
  min_free_bytes: setting('Store output only while this much of the disk stays free', bytes(0, 2 ** 40, 104_857_600)),
  redact: setting('Replace known shapes of secrets in stored commands, never in responses', flag(true)),
  approval_timeout_seconds: setting(
    'How long a command waits for approval; without an answer it is denied. 0: deny at once',
    seconds(0, 86_400, 120),
  ),
  max_pending_approvals: setting(
    'Pending approvals at once; further ones are denied',
    count(1, 10_000, 32, 'requests'),
  ),
  approval_notifications: setting(
    'Show approval requests as notifications with Approve and Deny, if `$PREFIX/bin/termux-notification` exists. Approve works on a locked screen, so requests of high risk, and those that do not fit, must be approved elsewhere',
    flag(true),
  ),
  approval_command: setting(
    'Your own program to run for each approval request, with the request as JSON on stdin, for at most 10 s: `["notify-send", "Shellphone asks"]`',
    orNull(strings('argv', null)),
  ),
  approval_url: setting(
    'Send a POST here when a request waits for approval, with the address of the page but not the request: `https://ntfy.sh/YOUR-SECRET-TOPIC`',
    orNull(Type.String({ pattern: '^https?://', default: null, unit: 'URL' })),
  ),
  mcp_patience_seconds: setting(
    'An MCP tool call that takes longer returns a handle while its command keeps running; clients give up after 60 s',
    seconds(0.1, 240, 45),
  ),
  fleet: setting('Connect to the fleet in `fleet.json`, which `shellphone fleet join` writes', flag(true)),
  fleet_max_requests: setting('Requests from the fleet at once; further ones get 503', count(1, 1024, 64, 'requests')),
  fleet_beat_seconds: setting('How often the phone sends its status to the fleet', seconds(5, 3600, 60)),
  fleet_labels: live(
    setting(
      'Labels that the phone reports for people to read: `lab=berlin`, `arm64`; selectors use only the labels of its invitation',
      strings('labels'),
    ),
  ),
  fleet_reconnect_seconds: setting(
    'Longest wait before reconnecting to the fleet; earlier waits are shorter, each with random variation',
    seconds(1, 3600, 30),
  ),
  plane_host: setting(
    'Where the control plane listens (`shellphone fleet serve`), in plain HTTP; put a TLS proxy in front of it',
    Type.String({ minLength: 1, default: '127.0.0.1', unit: 'address' }),
  ),
  plane_port: setting('TCP port of the control plane; 0 lets the system choose', count(0, 65_535, 8030, 'port')),
  plane_directory: setting(
    'Directory of the control plane with `plane.json`, which `shellphone fleet init` writes',
    orNull(path(null)),
    '`plane` in the home',
  ),
  plane_webhook: setting(
    'Send a POST here for each approval request of a phone, with the names of phone and request but not its content',
    orNull(Type.String({ pattern: '^https?://', default: null, unit: 'URL' })),
    'none',
  ),
  plane_max_pairs: setting(
    'Queued commands of jobs, over all phones; a job that would exceed this gets 503',
    count(1, 10_000_000, 1_000_000, 'commands'),
  ),
  approval_rule_days: setting('A saved approval expires after this', number(0.001, 36_500, 30, 'days')),
}
