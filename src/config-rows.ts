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
const oneOf = (...names: string[]) => Type.Union(names.map((name) => Type.Literal(name)))

/** What a default may depend on. */
export interface Machine {
  platform: NodeJS.Platform
  home: string
  prefix: string | undefined
}

/** Every setting of the service. To add one, add a row; the README's table is generated from here. */
export function settingRows({ platform, home, prefix }: Machine): SettingRow[] {
  const android = platform === 'android'
  return [
    {
      name: 'host',
      schema: Type.String({ minLength: 1 }),
      default: '127.0.0.1',
      unit: 'address',
      meaning: 'Where to listen; `0.0.0.0` for the LAN',
    },
    {
      name: 'port',
      schema: count(0, 65535),
      default: 8029,
      unit: 'port',
      meaning: 'TCP port; 0 lets the system choose',
    },
    {
      name: 'allowed_origins',
      schema: strings,
      default: [],
      unit: 'origins',
      meaning: 'Web origins that may call (`https://app.example`); all others get 403',
    },
    {
      name: 'allowed_hosts',
      schema: strings,
      default: [],
      unit: 'names',
      meaning: 'Host names that may be called beside IP literals and `localhost`',
    },
    {
      name: 'body_limit_bytes',
      schema: count(1024, 67_108_864),
      default: 8_388_608,
      unit: 'bytes',
      meaning: 'Largest request body, and largest WebSocket message',
    },
    {
      name: 'max_connections',
      schema: count(1, 65_535),
      default: 1024,
      unit: 'connections',
      meaning: 'Open connections; further ones are closed at once',
    },
    {
      name: 'max_failed_logins_per_minute',
      schema: count(1, 100_000),
      default: 20,
      unit: 'per address',
      meaning: 'Wrong tokens from one address before it gets 429; a right token always passes',
    },
    {
      name: 'log_level',
      schema: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'silent'),
      default: 'info',
      unit: '',
      meaning: 'What pino logs; never a token, a command or output',
    },
    {
      name: 'stop_grace_seconds',
      schema: seconds(0, 60),
      default: 5,
      unit: 's',
      meaning: 'On SIGTERM what runs gets SIGTERM, and SIGKILL after this',
    },
    {
      name: 'shell',
      schema: Type.String({ pattern: '^/' }),
      default: prefix ? `${prefix}/bin/sh` : '/bin/sh',
      defaultText: '`$PREFIX/bin/sh`, else `/bin/sh`',
      unit: 'path',
      meaning: 'The shell that runs `-c COMMAND`',
    },
    {
      name: 'working_directory',
      schema: Type.String({ pattern: '^/' }),
      default: home,
      defaultText: '`$HOME`',
      unit: 'path',
      meaning: 'Where commands run that name no directory',
    },
    {
      name: 'timeout_seconds',
      schema: seconds(0.001, 86_400),
      default: 30,
      unit: 's',
      meaning: 'Timeout of a command that names none',
    },
    {
      name: 'max_timeout_seconds',
      schema: seconds(0.001, 86_400),
      default: 120,
      unit: 's',
      meaning: 'Longer timeouts are lowered to this, and the reply says so',
    },
    {
      name: 'kill_grace_seconds',
      schema: seconds(0, 60),
      default: 2,
      unit: 's',
      meaning: 'Between SIGTERM and SIGKILL at a timeout or a cancel',
    },
    {
      name: 'max_length',
      schema: count(1, 10_000_000),
      default: 50_000,
      unit: 'characters',
      meaning: 'Output in a reply that names no limit, both streams together',
    },
    {
      name: 'max_length_limit',
      schema: count(1, 10_000_000),
      default: 1_000_000,
      unit: 'characters',
      meaning: 'Higher `max_length` values are lowered to this, and the reply says so',
    },
    {
      name: 'max_running',
      schema: count(1, 256),
      default: android ? 4 : 8,
      defaultText: '4 on Android, else 8',
      unit: 'commands',
      meaning: 'Commands at once',
    },
    {
      name: 'max_queued',
      schema: count(0, 100_000),
      default: 256,
      unit: 'commands',
      meaning: 'Commands waiting for a slot; the next one gets 503',
    },
    {
      name: 'max_queue_wait_seconds',
      schema: seconds(0.001, 3600),
      default: 60,
      unit: 's',
      meaning: 'Longest wait for a slot; after it 503',
    },
    {
      name: 'max_background_running',
      schema: count(1, 256),
      default: android ? 2 : 8,
      defaultText: '2 on Android, else 8',
      unit: 'commands',
      meaning: 'Background commands at once; they have slots of their own',
    },
    {
      name: 'max_background_seconds',
      schema: seconds(0.001, 31_536_000),
      default: 86_400,
      unit: 's',
      meaning: 'Timeout of a background command, and its maximum',
    },
    {
      name: 'history',
      schema: Type.Boolean(),
      default: true,
      unit: '',
      meaning: 'Keep records and whole outputs on disk; without it they live in memory, for a while',
    },
    {
      name: 'history_max_age_days',
      schema: seconds(0.001, 36_500),
      default: 30,
      unit: 'days',
      meaning: 'Older records are forgotten',
    },
    {
      name: 'history_max_count',
      schema: count(1, 1_000_000),
      default: 20_000,
      unit: 'records',
      meaning: 'The oldest records beyond this are forgotten',
    },
    {
      name: 'max_run_spool_bytes',
      schema: count(65_536, 1_099_511_627_776),
      default: 67_108_864,
      unit: 'bytes',
      meaning: 'Output kept of one command; the rest is counted',
    },
    {
      name: 'max_spool_bytes',
      schema: count(65_536, 1_099_511_627_776),
      default: 1_073_741_824,
      unit: 'bytes',
      meaning: 'Output kept in all; that of the oldest ended commands goes first',
    },
    {
      name: 'min_free_bytes',
      schema: count(0, 1_099_511_627_776),
      default: 104_857_600,
      unit: 'bytes',
      meaning: 'Output is kept only while so much of the disk stays free',
    },
    {
      name: 'redact',
      schema: Type.Boolean(),
      default: true,
      unit: '',
      meaning: 'Replace known shapes of secrets in what history stores of commands; never in what is answered',
    },
    {
      name: 'background_processes',
      schema: oneOf('end', 'keep'),
      default: 'end',
      unit: '',
      meaning: 'What becomes of processes that a command leaves behind',
    },
    {
      name: 'environment',
      schema: oneOf('filtered', 'minimal', 'full'),
      default: 'filtered',
      unit: '',
      meaning:
        "Environment of commands: the service's own less what looks like a secret; a short list of safe names; or all of it. Never the token, never a SHELLPHONE_* name",
    },
    {
      name: 'environment_keep',
      schema: strings,
      default: [],
      unit: 'names',
      meaning: 'Names that the filter lets through all the same',
    },
    {
      name: 'ld_preload',
      schema: Type.Boolean(),
      default: true,
      unit: '',
      meaning: "On Android: add termux-exec's LD_PRELOAD where it is missing and the library exists",
    },
  ]
}
