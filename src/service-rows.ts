import { Type } from '@sinclair/typebox'
import { count, oneOf, row, type SettingRow, seconds, strings } from './setting-row.ts'

/** Where the service listens, who may call, and how it stops. To add a setting, add a row. */
export const serviceRows: SettingRow[] = [
  row('host', Type.String({ minLength: 1 }), '127.0.0.1', 'address', 'Where to listen; `0.0.0.0` for the LAN'),
  row('port', count(0, 65535), 8029, 'port', 'TCP port; 0 lets the system choose'),
  row(
    'allowed_origins',
    strings,
    [],
    'origins',
    'Web origins that may call (`https://app.example`); all others get 403',
  ),
  row('allowed_hosts', strings, [], 'names', 'Host names that may be called beside IP literals and `localhost`'),
  row(
    'body_limit_bytes',
    count(1024, 67_108_864),
    8_388_608,
    'bytes',
    'Largest request body, and largest WebSocket message',
  ),
  row('max_connections', count(1, 65_535), 1024, 'connections', 'Open connections; further ones are closed at once'),
  row(
    'max_failed_logins_per_minute',
    count(1, 100_000),
    20,
    'per address',
    'Wrong tokens from one address before it gets 429; a right token always passes',
  ),
  row(
    'log_level',
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'silent'),
    'info',
    '',
    'What pino logs; never a token, a command or output',
  ),
  row('stop_grace_seconds', seconds(0, 60), 5, 's', 'On SIGTERM what runs gets SIGTERM, and SIGKILL after this'),
]
