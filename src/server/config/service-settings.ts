import { Type } from '@sinclair/typebox'
import { bytes, count, flag, live, number, oneOf, orNull, path, seconds, setting, strings } from './shapes.ts'

/** Settings for where the service listens, who may call it, how it stops, what it stores and how it asks. To add one, add a row. */
export const serviceSettings = {
  host: setting(
    'Address on which the service listens; `0.0.0.0` for the LAN',
    Type.String({ minLength: 1, default: '127.0.0.1', unit: 'address' }),
  ),
  port: setting('TCP port; 0: the system chooses', count(0, 65_535, 8029, 'port')),
  tls: setting(
    '`auto`: HTTPS with a generated certificate for other machines, plain HTTP for this machine; `off`: plain HTTP for all machines',
    oneOf(['auto', 'off']),
  ),
  tls_certificate: setting(
    'Your own certificate chain instead of the generated certificate, PEM',
    orNull(path(null)),
    'none',
  ),
  tls_key: setting('The private key of your own certificate, PEM', orNull(path(null)), 'none'),
  tls_client_ca: setting(
    'Certificate authority, PEM; TLS clients must present a certificate that it issued',
    orNull(path(null)),
    'none',
  ),
  page: setting('Serve the page for browsers at `/`', flag(true)),
  allowed_origins: live(
    setting('Web origins that may call the service (`https://app.example`); all others get 403', strings('origins')),
  ),
  allowed_hosts: live(
    setting('Host names that requests may use, besides IP literals and `localhost`', strings('names')),
  ),
  body_limit_bytes: setting('Largest request body and WebSocket message', bytes(1024, 67_108_864, 8_388_608)),
  max_connections: setting(
    'Maximum number of open connections; at the limit, the service first closes one without a valid token',
    count(1, 65_535, 1024, 'connections'),
  ),
  max_failed_logins_per_minute: setting(
    'Wrong tokens per minute from one address before it gets 429; valid tokens still work',
    count(1, 100_000, 20, 'per address'),
  ),
  log_level: live(
    setting(
      'Log level; the log never contains a token, a command or output',
      oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'silent'], 'info'),
    ),
  ),
  stop_grace_seconds: setting('Time between SIGTERM and SIGKILL for runs when the service stops', seconds(0, 60, 5)),
  history: setting(
    'Store records and outputs on disk; otherwise only the newest records, with outputs of at most 64 KiB, are stored, in memory',
    flag(true),
  ),
  history_max_age_days: setting('Delete records older than this', number(0.001, 36_500, 30, 'days')),
  history_max_count: setting('Delete the oldest records beyond this number', count(1, 1_000_000, 20_000, 'records')),
  max_run_spool_bytes: setting(
    'Maximum output stored for one run; further output is only counted',
    bytes(65_536, 2 ** 40, 67_108_864),
  ),
  max_spool_bytes: setting(
    'Maximum output stored in total; the output of the oldest ended runs is deleted first',
    bytes(65_536, 2 ** 40, 1_073_741_824),
  ),
  min_free_bytes: setting('Store output only while this much disk space stays free', bytes(0, 2 ** 40, 104_857_600)),
  redact: setting(
    'Replace known patterns of secrets in stored commands, notes and reasons; the first response is not redacted, but everything read back from history is',
    flag(true),
  ),
  approval_timeout_seconds: live(
    setting(
      'How long a command waits for approval; without an answer, the service denies it. 0: deny at once',
      seconds(0, 86_400, 120),
    ),
  ),
  max_pending_approvals: setting(
    'Maximum number of pending approvals; further requests are denied',
    count(1, 10_000, 32, 'requests'),
  ),
  approval_notifications: setting(
    'Show approval requests as notifications with the buttons Approve and Deny, if `$PREFIX/bin/termux-notification` exists. Approve works on a locked screen, so high-risk requests, and requests that do not fit, must be approved elsewhere',
    flag(true),
  ),
  approval_command: setting(
    'Your own program to run for each approval request, for at most 10 s, with the request as JSON on stdin: `["notify-send", "Shellphone asks"]`',
    orNull(strings('argv', null)),
  ),
  approval_url: setting(
    'Send a POST to this URL when a request waits for approval, with the address of the page but not the request: `https://ntfy.sh/YOUR-SECRET-TOPIC`',
    orNull(Type.String({ pattern: '^https?://', meant: 'an http:// or https:// URL', default: null, unit: 'URL' })),
  ),
  webhook_hosts: live(
    setting(
      'Hosts to which webhooks may be sent although they are not public, also over plain HTTP: `127.0.0.1:9000`, `hooks.lan`; all other webhooks need HTTPS and a public address',
      strings('hosts'),
    ),
  ),
  mcp_patience_seconds: setting(
    'An MCP tool call that takes longer returns a handle while its command keeps running; clients typically time out after 60 s',
    seconds(0.1, 240, 45),
  ),
  fleet: setting('Connect to the fleet in `fleet.json`, which `shellphone fleet join` writes', flag(true)),
  fleet_max_requests: setting(
    'Maximum number of concurrent requests from the fleet; further ones get 503',
    count(1, 1024, 64, 'requests'),
  ),
  fleet_beat_seconds: setting('How often the phone sends its status to the fleet', seconds(5, 3600, 60)),
  fleet_labels: live(
    setting(
      'Labels that the phone reports for people to read: `lab=berlin`, `arm64`; selectors match only the labels in its invitation',
      strings('labels'),
    ),
  ),
  fleet_reconnect_seconds: setting(
    'Longest wait before reconnecting to the fleet; the first waits are shorter, and each varies randomly',
    seconds(1, 3600, 30),
  ),
  plane_host: setting(
    'Address on which the control plane (`shellphone fleet serve`) listens with plain HTTP; put a TLS proxy in front of it',
    Type.String({ minLength: 1, default: '127.0.0.1', unit: 'address' }),
  ),
  plane_port: setting('TCP port of the control plane; 0: the system chooses', count(0, 65_535, 8030, 'port')),
  plane_directory: setting(
    'Directory of the control plane, with `plane.json`, which `shellphone fleet init` writes',
    orNull(path(null)),
    '`plane` in the home',
  ),
  plane_webhook: setting(
    'Send a POST to this URL for each approval request of a phone, with the phone and the id of the request but not its content',
    orNull(Type.String({ pattern: '^https?://', meant: 'an http:// or https:// URL', default: null, unit: 'URL' })),
    'none',
  ),
  plane_max_pairs: setting(
    'Maximum number of queued commands of all jobs on all phones; a job that would exceed it gets 503',
    count(1, 10_000_000, 1_000_000, 'commands'),
  ),
  approval_rule_days: setting('A saved approval expires after this time', number(0.001, 36_500, 30, 'days')),
}
