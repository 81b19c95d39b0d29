import { type Static, Type } from '@sinclair/typebox'
import { NAME } from './name.ts'

/** The maximum length of a command: 1 MiB. Commands can be longer than a string in argv (128 KiB). */
export const MAX_COMMAND_BYTES = 1_048_576

/** The message that FEAT-029 prescribes. */
export const COMMAND_REQUIRED = "Parameter 'command' is required and cannot be empty"

/** The restrictions that the kernel enforces on a command. `none` allows everything. */
export const SandboxName = Type.Union(
  [Type.Literal('none'), Type.Literal('read-only'), Type.Literal('workspace-write')],
  {
    $id: 'SandboxName',
    description:
      'What the kernel lets the command write: none: everything that its user may; read-only: nothing; workspace-write: its workspace (default: the setting sandbox)',
  },
)
export type SandboxName = Static<typeof SandboxName>

const MAX_COUNT = 2 ** 31 - 1
const MAX_BYTES = 2 ** 47

const limit = (description: string, minimum = 1, maximum = MAX_COUNT) =>
  Type.Optional(Type.Integer({ minimum, maximum, description }))

/** Limits for one command. If a setting limits the same resource, the stricter limit applies. */
export const RequestLimits = Type.Object(
  {
    cpu_seconds: limit('CPU time in seconds, of all processes together; without the launcher, of each process'),
    address_space_bytes: limit('Address space of each process, in bytes', 1_048_576, MAX_BYTES),
    processes: limit('Concurrent processes, including the shell'),
    open_files: limit('Open file descriptors of each process', 3),
    file_size_bytes: limit('Size of each file that it writes, in bytes', 0, MAX_BYTES),
    nice: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 19, description: 'Nice value; a higher one runs with less priority' }),
    ),
  },
  {
    additionalProperties: false,
    $id: 'RequestLimits',
    description: 'Limits for this command; if a setting limits the same resource, the stricter limit applies',
  },
)
export type RequestLimits = Static<typeof RequestLimits>

const cells = (what: string) => Type.Integer({ minimum: 1, maximum: 65_535, description: what })

/** The size of a terminal in characters. The kernel stores each dimension in 16 bits. */
export const WindowSize = Type.Object(
  { rows: cells('Lines'), columns: cells('Characters per line') },
  {
    additionalProperties: false,
    $id: 'WindowSize',
    description: 'Run in a terminal of this size, in the background, with an open stdin and all output as stdout',
  },
)
export type WindowSize = Static<typeof WindowSize>

/** How a text field carries bytes. */
export const Encoding = Type.Union([Type.Literal('utf8'), Type.Literal('base64')], {
  description: 'How output (and the data of stdin) is encoded as text; base64 keeps every byte (default: utf8)',
})

/** The session of a command. */
export const SessionName = Type.String({
  pattern: NAME.source,
  description:
    'A session of this token, created by its first use: the command starts in the directory and with the exported variables of the last one',
})

/** The body of POST /exec: the parameters of FEAT-029 and our own. Its numbers may be numeric strings, but not those inside `limits` and `tty`. */
export const ExecRequest = Type.Object(
  {
    command: Type.String({ description: 'The shell command to execute; not blank, at most 1 MiB' }),
    timeout_seconds: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        description:
          'Timeout in seconds (default: 30, in the background 86400); a timeout above the maximum (120 or 86400, settings) is lowered to it, with a note in the response',
      }),
    ),
    working_directory: Type.Optional(Type.String({ description: 'An existing directory (default: $HOME, a setting)' })),
    max_length: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          "Maximum characters of the command's output in the response (default: 50000, a setting), stdout and stderr together; the lines that the service adds (exit code, [stderr], what is left out) do not count",
      }),
    ),
    env: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: 'Environment variables added for this command' }),
    ),
    stdin: Type.Optional(
      Type.String({
        description:
          'Text to send before stdin is closed; "open": send it with POST /runs/:id/stdin (default: an empty stdin)',
      }),
    ),
    encoding: Type.Optional(Encoding),
    tty: Type.Optional(WindowSize),
    background: Type.Optional(
      Type.Boolean({
        description: 'Respond with 202 at once; the run continues without its client (default: false)',
      }),
    ),
    when_full: Type.Optional(
      Type.Union([Type.Literal('drop'), Type.Literal('wait')], {
        description:
          'When the stored output is full: drop further output, or make the command wait for its readers (default: drop)',
      }),
    ),
    lease_seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 3600,
        description:
          'For a background run: cancel it this many seconds after the last connection that followed it was lost',
      }),
    ),
    artifact_paths: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: 64,
        description: 'Files to report in artifacts, with size and SHA-256, after the command has ended',
      }),
    ),
    sandbox: Type.Optional(SandboxName),
    network: Type.Optional(
      Type.Boolean({ description: 'false: no network in the sandbox (default: the setting sandbox.network)' }),
    ),
    limits: Type.Optional(RequestLimits),
    session: Type.Optional(SessionName),
  },
  { additionalProperties: false, $id: 'ExecRequest', description: 'A command to run, and how to run it' },
)
export type ExecRequest = Static<typeof ExecRequest>
