import { type TSchema, Type } from '@sinclair/typebox'

/** One setting: `name` is its key in config.yaml; SHELLPHONE_NAME its environment name; --name-with-dashes its flag. */
export interface SettingRow {
  name: string
  schema: TSchema
  /** a value, or what the machine makes of it (platform, home) */
  default: unknown
  /** shown in the README where the default depends on the machine */
  defaultText?: string
  unit: string
  meaning: string
}

const strings = Type.Array(Type.String({ minLength: 1 }), { maxItems: 256 })
const count = (minimum: number, maximum: number) => Type.Integer({ minimum, maximum })
const seconds = (minimum: number, maximum: number) => Type.Number({ minimum, maximum })
const orNull = (schema: TSchema) => Type.Union([schema, Type.Null()])
const oneOf = (...names: string[]) => Type.Union(names.map((name) => Type.Literal(name)))

const row = (
  name: string,
  schema: TSchema,
  value: unknown,
  unit: string,
  meaning: string,
  defaultText?: string,
): SettingRow => ({
  name,
  schema,
  default: value,
  unit,
  meaning,
  ...(defaultText === undefined ? {} : { defaultText }),
})

/** What a default may depend on. */
export interface Machine {
  platform: NodeJS.Platform
  home: string
  prefix: string | undefined
}

/** The service's own settings. To add one, add a row. */
export function serviceRows({ platform, home, prefix }: Machine): SettingRow[] {
  const android = platform === 'android'
  return [
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
    row(
      'shell',
      Type.String({ pattern: '^/' }),
      prefix ? `${prefix}/bin/sh` : '/bin/sh',
      'path',
      'The shell that runs `-c COMMAND`',
      '`$PREFIX/bin/sh`, else `/bin/sh`',
    ),
    row(
      'working_directory',
      Type.String({ pattern: '^/' }),
      home,
      'path',
      'Where commands run that name no directory',
      '`$HOME`',
    ),
    row('timeout_seconds', seconds(0.001, 86_400), 30, 's', 'Timeout of a command that names none'),
    row(
      'max_timeout_seconds',
      seconds(0.001, 86_400),
      120,
      's',
      'Longer timeouts are lowered to this, and the reply says so',
    ),
    row('kill_grace_seconds', seconds(0, 60), 2, 's', 'Between SIGTERM and SIGKILL at a timeout or a cancel'),
    row(
      'max_length',
      count(1, 10_000_000),
      50_000,
      'characters',
      'Output in a reply that names no limit, both streams together',
    ),
    row(
      'max_length_limit',
      count(1, 10_000_000),
      1_000_000,
      'characters',
      'Higher `max_length` values are lowered to this, and the reply says so',
    ),
    row('max_running', count(1, 256), android ? 4 : 8, 'commands', 'Commands at once', '4 on Android, else 8'),
    row('max_queued', count(0, 100_000), 256, 'commands', 'Commands waiting for a slot; the next one gets 503'),
    row('max_queue_wait_seconds', seconds(0.001, 3600), 60, 's', 'Longest wait for a slot; after it 503'),
    row(
      'max_background_running',
      count(1, 256),
      android ? 2 : 8,
      'commands',
      'Background commands at once; they have slots of their own',
      '2 on Android, else 8',
    ),
    row(
      'max_background_seconds',
      seconds(0.001, 31_536_000),
      86_400,
      's',
      'Timeout of a background command, and its maximum',
    ),
    row(
      'history',
      Type.Boolean(),
      true,
      '',
      'Keep records and whole outputs on disk; without it they live in memory, for a while',
    ),
    row('history_max_age_days', seconds(0.001, 36_500), 30, 'days', 'Older records are forgotten'),
    row('history_max_count', count(1, 1_000_000), 20_000, 'records', 'The oldest records beyond this are forgotten'),
    row(
      'max_run_spool_bytes',
      count(65_536, 1_099_511_627_776),
      67_108_864,
      'bytes',
      'Output kept of one command; the rest is counted',
    ),
    row(
      'max_spool_bytes',
      count(65_536, 1_099_511_627_776),
      1_073_741_824,
      'bytes',
      'Output kept in all; that of the oldest ended commands goes first',
    ),
    row(
      'min_free_bytes',
      count(0, 1_099_511_627_776),
      104_857_600,
      'bytes',
      'Output is kept only while so much of the disk stays free',
    ),
    row(
      'redact',
      Type.Boolean(),
      true,
      '',
      'Replace known shapes of secrets in what history stores of commands; never in what is answered',
    ),
    row(
      'background_processes',
      oneOf('end', 'keep'),
      'end',
      '',
      'What becomes of processes that a command leaves behind',
    ),
    row(
      'spawner',
      oneOf('auto', 'launcher', 'child_process'),
      'auto',
      '',
      "What starts commands: the launcher (built by npm ci where there is a C compiler), or Node's child_process",
    ),
    row(
      'landlock',
      oneOf('auto', 'on', 'off'),
      'auto',
      '',
      'Whether boxes may use Landlock; auto: everywhere but on Android, where it has made kernels panic',
    ),
    row('sandbox', oneOf('none', 'read-only', 'workspace-write'), 'none', '', 'The box of commands that name none'),
    row('sandbox.network', Type.Boolean(), true, '', 'Whether boxed commands that do not say may use the network'),
    row(
      'sandbox.command',
      orNull(strings),
      null,
      'argv',
      'An external box that stands in for read-only: `["bwrap", "--ro-bind", "/", "/", "--dev", "/dev"]`',
    ),
    row('limit_cpu_seconds', orNull(count(1, 86_400)), null, 's', 'CPU time of each process of a command'),
    row(
      'limit_address_space_bytes',
      orNull(count(1_048_576, 2 ** 47)),
      null,
      'bytes',
      'Address space of each process of a command',
    ),
    row(
      'limit_processes',
      orNull(count(1, 10_000)),
      android ? 24 : null,
      'processes',
      'Processes of a command at once (launcher alone): Android allows 32 for all apps together',
      '24 on Android, else `null`',
    ),
    row(
      'limit_open_files',
      orNull(count(3, 1_048_576)),
      null,
      'descriptors',
      'Open files of each process of a command',
    ),
    row('limit_file_size_bytes', orNull(count(0, 2 ** 47)), null, 'bytes', 'Size of a file that a command writes'),
    row('limit_nice', orNull(count(0, 19)), null, '', 'Politeness of commands'),
    row(
      'limit_oom_score_adj',
      orNull(count(0, 1000)),
      200,
      '',
      'How much sooner than the service the kernel ends a command when memory runs out (launcher alone)',
    ),
    row(
      'approval_timeout_seconds',
      seconds(0, 86_400),
      120,
      's',
      'How long a command waits for a person; silence is no. 0: nobody can be asked, and asking is denying',
    ),
    row(
      'max_pending_approvals',
      count(1, 10_000),
      32,
      'questions',
      'Questions that wait for a person; further ones are denied',
    ),
    row(
      'approval_notifications',
      Type.Boolean(),
      true,
      '',
      'Questions as notifications with Approve and Deny, where `$PREFIX/bin/termux-notification` is; Approve works on a locked screen, so high risk and what does not fit are approved in a terminal alone',
    ),
    row('approval_rule_days', seconds(0.001, 36_500), 30, 'days', 'An approval given for always expires after this'),
    row(
      'environment',
      oneOf('filtered', 'minimal', 'full'),
      'filtered',
      '',
      "Environment of commands: the service's own less what looks like a secret; a short list of safe names; or all of it. Never the token, never a SHELLPHONE_* name",
    ),
    row('environment_keep', strings, [], 'names', 'Names that the filter lets through all the same'),
    row(
      'ld_preload',
      Type.Boolean(),
      true,
      '',
      "On Android: add termux-exec's LD_PRELOAD where it is missing and the library exists",
    ),
  ]
}
