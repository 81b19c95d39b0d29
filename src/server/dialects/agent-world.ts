import { type Static, Type } from '@sinclair/typebox'
import { meantName, oneWordOf, settingRows } from '../../shared/schema/index.ts'
import { type Argv, inlineScript, syntaxFault, toScript } from './agent-world-argv.ts'
import type { FormattedRequest } from './agent-world-formats.ts'
import { inlineRefusal, mismatch, type TrustedScope, strays } from './agent-world-scope.ts'
import { toText } from './agent-world-text.ts'
import {
  type Dialect,
  type DialectRequest,
  MAX_TIMEOUT_MS,
  type OutputOptions,
  plainRequest,
  type DialectWorld,
} from './dialect.ts'
import { absolutePath, readArguments, realPlace, strangerIn } from './shared.ts'

const Parameters = Type.Object({
  command: Type.String({ description: 'Command name (for example ls, cat, grep)' }),
  parameters: Type.Optional(
    Type.Array(Type.String(), { default: [], description: 'Command arguments (one token per argument)' }),
  ),
  directory: Type.Optional(Type.String({ description: 'Target directory, validated against trusted world scope' })),
  timeout: Type.Optional(
    Type.Number({ default: 600_000, minimum: 0, description: 'Milliseconds, default 600000 (10 minutes)' }),
  ),
  output_format: Type.Optional(
    oneWordOf(['markdown', 'json'], { default: 'markdown', description: 'Result format. Defaults to markdown' }),
  ),
  output_detail: Type.Optional(
    oneWordOf(['minimal', 'full'], { default: 'minimal', description: 'Detail level. Defaults to minimal' }),
  ),
  artifact_paths: Type.Optional(
    Type.Array(Type.String(), {
      default: [],
      maxItems: 64,
      description: 'File paths (inside trusted scope) to include with hash metadata',
    }),
  ),
})
type Parameters = Required<Static<typeof Parameters>>

const Settings = Type.Object({
  working_directory: Type.String({
    default: '',
    description: 'The trusted directory, an absolute path; empty: the default working directory',
  }),
  tool_permission: oneWordOf(['read', 'ask', 'auto'], {
    default: 'auto',
    description: 'read: deny every command; ask: ask before every command; auto: ask before risky commands',
  }),
})
type Settings = Static<typeof Settings>

/** agent-world's own grace between SIGTERM and SIGKILL. */
const KILL_GRACE_MS = 2000

/** Bytes read for a preview, which is short, but from which many escape codes may be removed. */
const PREVIEW_BYTES = 65_536

const DEFAULT_TIMEOUT_MS = 600_000

const NO_COMMAND = "Required parameter 'command' is missing or empty"

const invalid = (fault: string) => ({ refusal: `Tool parameter validation failed for shell_cmd: ${fault}` })

function read(given: unknown): { values: Parameters } | { refusal: string } {
  const stranger = strangerIn(Parameters, given)
  if (stranger !== undefined) {
    const meant = meantName(stranger, Object.keys(Parameters.properties))
    return invalid(`Unknown parameter '${stranger}'${meant === undefined ? '' : `; did you mean '${meant}'?`}`)
  }
  const result = readArguments(Parameters, given, NO_COMMAND)
  if ('values' in result) return { values: result.values as Parameters }
  return result.refusal === NO_COMMAND ? result : invalid(result.refusal)
}

/** Returns the trusted working directory, which must contain `directory` and every path. */
const rootOf = (settings: Settings, world: DialectWorld) =>
  absolutePath(settings.working_directory, world.settings.working_directory, world.home)

function scopeFault({ directory, artifact_paths }: Parameters, scope: TrustedScope): string | null {
  if (directory !== undefined && strays(directory, scope)) {
    return mismatch(`requested directory "${directory}"`, scope.root, ' Update world working_directory first.')
  }
  const artifact = artifact_paths.find((path) => strays(path, scope))
  return artifact === undefined ? null : mismatch(`artifact path "${artifact}"`, scope.root)
}

function argvFault(argv: Argv, root: string): string | null {
  const inline = inlineScript(argv)
  return inline === null ? syntaxFault(argv) : inlineRefusal(inline, root)
}

type Tier = ReturnType<DialectWorld['tierOf']>

const blocked = (tier: Tier): string | null =>
  tier?.verdict === 'deny' ? `Blocked dangerous operation: ${tier.name}. This shell command cannot be executed.` : null

const forbidden = ({ tool_permission }: Settings): string | null =>
  tool_permission === 'read' ? 'shell_cmd is blocked by the current permission level (read).' : null

function askOf(tier: Tier, { tool_permission }: Settings): DialectRequest['ask'] {
  const rule = tier?.name ?? (tool_permission === 'ask' ? 'low_risk_command' : null)
  return rule === null ? null : { rule, reason: `Risk: ${rule}. Proceed with this command?` }
}

const outputOf = ({ output_detail }: Parameters): OutputOptions =>
  output_detail === 'full' ? { keep: 'whole' } : { keep: 'head', maxBytes: PREVIEW_BYTES }

/** The arguments with which a result is formatted if the real arguments are invalid. */
const nothingAsked: FormattedRequest = {
  command: '',
  parameters: [],
  output_format: 'markdown',
  output_detail: 'minimal',
  artifact_paths: [],
}

/** agent-world's `shell_cmd`: one executable and its arguments, each a literal word, inside one trusted directory. */
export const agentWorld: Dialect<Settings> = {
  name: 'agent-world',
  family: 'agent-world',
  tool: 'shell_cmd',
  description:
    'Execute a user-requested shell command and capture its output. `command` is executable-only, arguments go in `parameters`, one token each; shell control syntax and inline scripts are rejected.',
  parameters: Parameters,
  settings: settingRows(Settings),
  eventNames: { output: 'tool-stream', status: { denied: 'failed' } },
  toRequest(given, settings, world) {
    const result = read(given)
    if ('refusal' in result) return result
    const { values } = result
    const argv = { command: values.command.trim(), parameters: values.parameters }
    const root = rootOf(settings, world)
    const script = toScript(argv)
    const tier = world.tierOf(script)
    const danger = blocked(tier)
    if (danger !== null) return { refusal: danger, code: 'FORBIDDEN' }
    const fault = scopeFault(values, { root, world }) ?? argvFault(argv, root)
    if (fault !== null) return { refusal: fault }
    const prohibition = forbidden(settings)
    if (prohibition !== null) return { refusal: prohibition, code: 'FORBIDDEN' }
    return {
      request: {
        ...plainRequest,
        command: script,
        working_directory: realPlace(absolutePath(values.directory ?? '', root, world.home), world),
        artifact_paths: values.artifact_paths.map((path) => absolutePath(path, root, world.home)),
        timeoutMs: Math.min(values.timeout || DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS),
        killGraceMs: KILL_GRACE_MS,
        policy: { single_command: true, restrict_to_workspace: true, workspace_dir: root },
        ask: askOf(tier, settings),
        output: outputOf(values),
      },
    }
  },
  toText(result, given, settings, world) {
    const asked = read(given)
    return toText(result, 'values' in asked ? asked.values : nothingAsked, { root: rootOf(settings, world), world })
  },
}
