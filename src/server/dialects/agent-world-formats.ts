import type { Artifact, Stream } from '../../shared/schema/index.ts'
import type { Ended } from './dialect.ts'
import { firstCharacters, missingBytes } from './shared.ts'

/** The arguments of the tool that the formats use. */
export interface FormattedRequest {
  command: string
  parameters: string[]
  output_format: 'markdown' | 'json'
  output_detail: 'minimal' | 'full'
  artifact_paths: string[]
}

/** The "minimum necessary" preview of one stream, in characters. */
const PREVIEW_CHARACTERS = 400

const ansi = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g
const imageUri = /data:image\/[\w.+-]+;base64,[A-Za-z0-9+/=]+/g

/** Removes text that a model should not have to read: escape codes of spinners and colours, and base64 images. */
const plain = (text: string) => text.replace(ansi, '').replace(imageUri, '[image data URI omitted from LLM context]')

interface Snippet {
  text: string
  /** size of the whole stream */
  bytes: number
  /** number of bytes that are missing from the text that the dialect received */
  missing: number
  truncated: boolean
}

function snippet(ended: Ended, stream: Stream, detail: FormattedRequest['output_detail']): Snippet {
  const [bytes, missing] = [ended[`${stream}_bytes`], missingBytes(ended, stream)]
  const all = detail === 'full' ? ended[stream] : plain(ended[stream])
  const text = detail === 'full' ? all : firstCharacters(all, PREVIEW_CHARACTERS)
  return { text, bytes, missing, truncated: missing > 0 || text !== all }
}

/** Returns the error line of a run that failed; null for exit code 0. */
function errorOf({ status, signal, exit_code, timeout_seconds }: Ended): string | null {
  if (status === 'timed_out') return `Command execution timed out after ${Math.round(timeout_seconds * 1000)}ms`
  if (status === 'canceled') return 'Command execution canceled by user'
  if (status === 'completed') return null
  return signal === null ? `Command exited with code ${exit_code}` : `Command terminated by signal ${signal}`
}

const display = ({ command, parameters }: FormattedRequest): string =>
  [command, ...parameters.map((token) => (/\s/.test(token) ? `"${token.replaceAll('"', '\\"')}"` : token))].join(' ')

/** Encloses a text in a code fence that is longer than any fence in the text. */
function fenced(text: string): string[] {
  let fence = '```'
  for (const [inside] of text.matchAll(/`{3,}/g)) if (inside.length >= fence.length) fence = `${inside}\``
  return [fence, text.endsWith('\n') ? text.slice(0, -1) : text, fence]
}

/** Returns the note below a text that was cut. */
const cutNote = (noun: string, { bytes, missing }: Snippet, detail: FormattedRequest['output_detail']): string =>
  detail === 'full'
    ? `*(${noun} truncated: ${missing} more bytes.)*`
    : `*(${noun} truncated to minimum necessary preview. Use \`output_detail: "full"\` for full output, ${bytes} bytes.)*`

function section(title: string, noun: string, cut: Snippet, detail: FormattedRequest['output_detail']): string[] {
  if (cut.text === '' && !cut.truncated) return []
  const note = cut.truncated ? [cutNote(noun, cut, detail)] : []
  return ['', `### ${title}${detail === 'full' ? '' : ' (preview)'}`, '', ...fenced(cut.text), ...note]
}

function statusLines(ended: Ended): string[] {
  const error = errorOf(ended)
  return error === null ? ['**Status:** ✅ Exit code 0'] : ['**Status:** ❌ Error', `**Error:** ${error}`]
}

/** Returns the artifacts with the paths that the agent gave them. */
const named = (ended: Ended, { artifact_paths }: FormattedRequest): Artifact[] =>
  ended.artifacts.map((artifact, at) => ({ ...artifact, path: artifact_paths[at] ?? artifact.path }))

const artifactLine = ({ path, sha256, bytes, error }: Artifact): string =>
  `- \`${path}\`: ${error ?? `${bytes} bytes, sha256 ${sha256}`}`

const artifactLines = (artifacts: Artifact[]): string[] =>
  artifacts.length === 0 ? [] : ['', '### Artifacts', '', ...artifacts.map(artifactLine)]

/** Formats the default report, which people and models read. */
export function markdown(ended: Ended, asked: FormattedRequest): string {
  const { output_detail } = asked
  const sections = [
    ...section('Standard Output', 'Output', snippet(ended, 'stdout', output_detail), output_detail),
    ...section('Standard Error', 'Error output', snippet(ended, 'stderr', output_detail), output_detail),
  ]
  const silent = sections.length === 0 && errorOf(ended) === null
  return [
    '### Command Execution',
    '',
    `**Command:** \`${display(asked)}\``,
    `**Duration:** ${ended.duration_ms}ms`,
    ...(output_detail === 'full' ? [`**Executed at:** ${ended.started_at}`] : []),
    ...statusLines(ended),
    ...sections,
    ...(silent ? ['', '*(No output)*'] : []),
    ...artifactLines(named(ended, asked)),
  ].join('\n')
}

const artifactJson = ({ path, sha256, bytes, error }: Artifact) =>
  error === undefined ? { path, sha256, bytes } : { path, error }

/** Returns a stream under its name. If the stream was cut, adds a flag and its size in bytes. */
function streamJson(ended: Ended, stream: Stream, { output_detail }: FormattedRequest) {
  const { text, bytes, truncated } = snippet(ended, stream, output_detail)
  return { [stream]: text, ...(truncated ? { [`${stream}_truncated`]: true, [`${stream}_bytes`]: bytes } : {}) }
}

/** Formats agent-world's machine-readable report; `exit_code` is null if the command has no exit code. */
export const json = (ended: Ended, asked: FormattedRequest): string =>
  JSON.stringify(
    {
      exit_code: ended.exit_code < 0 ? null : ended.exit_code,
      ...streamJson(ended, 'stdout', asked),
      ...streamJson(ended, 'stderr', asked),
      timed_out: ended.status === 'timed_out',
      duration_ms: ended.duration_ms,
      artifacts: named(ended, asked).map(artifactJson),
    },
    null,
    2,
  )
