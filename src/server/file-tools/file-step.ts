import { join } from 'node:path'
import type { FileStep } from '../dialects/index.ts'
import type { Caller, Watched } from '../exec/index.ts'
import { contentHash, factsAt, factsIfThere, listFolder, readOld, toBytes, toText } from '../files/index.ts'
import { type Artifact, invalid, ShellphoneError } from '../../shared/schema/index.ts'
import { beginChange, checkSize, encoded, readExisting } from './change-tools.ts'
import { beginFileRun, checkFilesRight, type FileToolParts } from './file-run.ts'
import { patchFiles } from './patch-tool.ts'

type Step<Does extends FileStep['does']> = Extract<FileStep, { does: Does }>

/**
 * Begins the run of a dialect's step on files. Its output is the stdout of the run, and its refusal is the error of the run. `directory`: where
 * the relative paths of a patch start.
 */
export async function beginFileStep(
  step: FileStep,
  directory: string,
  caller: Caller,
  parts: FileToolParts,
): Promise<Watched> {
  checkFilesRight(caller.who, step.does === 'view' ? 'read' : 'write')
  if (step.does === 'view') return view(step, caller, parts)
  if (step.does === 'create') return create(step, caller, parts)
  if (step.does === 'edit') return edit(step, caller, parts)
  return (await patchFiles({ patch: step.patch, directory }, caller, parts)).run
}

const refused = (message: string) => invalid(message, 'path')

async function view({ path: given, show, list }: Step<'view'>, caller: Caller, parts: FileToolParts): Promise<Watched> {
  const path = await parts.executor.resolvePath(given, true)
  const isDirectory = (await factsAt(path)).type === 'directory'
  const { run } = await beginFileRun(
    {
      targets: [{ act: isDirectory ? 'tree' : 'read', path }],
      async work({ canceled, hides }) {
        const artifacts: Artifact[] = []
        const shown = isDirectory ? list(await pathsIn(path, given, hides)) : show(await textOf(path, canceled))
        if ('refusal' in shown) throw refused(shown.refusal)
        return { result: null, text: shown.output, artifacts }
      },
    },
    caller,
    parts.executor,
  )
  return run
}

async function textOf(path: string, canceled: AbortSignal): Promise<string> {
  const { bytes } = await readExisting(path, canceled)
  return toText(bytes, path).text
}

/** Maximum number of paths of a directory. */
const MAX_PATHS = 1000

/** The directory and what is up to two levels below it, without hidden names; more paths are left out. */
async function pathsIn(path: string, shownAs: string, hides: (path: string) => boolean): Promise<string[]> {
  const paths = [shownAs]
  const add = async (folder: string, shownFolder: string, levels: number) => {
    const { entries } = await listFolder(folder, { limit: MAX_PATHS, after: '' }, hides)
    for (const { name, type } of entries) {
      if (name.startsWith('.')) continue
      if (paths.length >= MAX_PATHS) return
      paths.push(join(shownFolder, name))
      if (type === 'directory' && levels > 1) {
        await add(join(folder, name), join(shownFolder, name), levels - 1).catch(ignoreUnreadable)
      }
    }
  }
  await add(path, shownAs, 2)
  return paths
}

/** A directory below that cannot be read, or has been removed, is shown without its content. */
function ignoreUnreadable(error: unknown): void {
  if (!(error instanceof ShellphoneError)) throw error
}

async function create(
  { path: given, content, output, exists }: Step<'create'>,
  caller: Caller,
  parts: FileToolParts,
): Promise<Watched> {
  const after = encoded(content, 'file_text')
  checkSize(after.length, 'file_text')
  const path = await parts.executor.resolvePath(given, true)
  if ((await factsIfThere(path)) !== null) throw refused(exists)
  const { run } = await beginChange(
    {
      targets: [{ act: 'save', path }],
      heldBytes: after.length,
      async plan({ canceled }) {
        if ((await readOld(path, canceled)) !== null) throw refused(exists)
        return {
          changes: [{ path, before: null, after, mode: null }],
          result: contentHash(after),
          text: output,
        }
      },
    },
    caller,
    parts,
  )
  return run
}

async function edit(
  { path: given, edit: change, ofDirectory, heldBytes }: Step<'edit'>,
  caller: Caller,
  parts: FileToolParts,
): Promise<Watched> {
  const path = await parts.executor.resolvePath(given, true)
  if ((await factsAt(path)).type === 'directory') throw refused(ofDirectory)
  const { run } = await beginChange(
    {
      targets: [{ act: 'edit', path }],
      heldBytes,
      async plan({ canceled }) {
        const before = await readExisting(path, canceled)
        const text = toText(before.bytes, path)
        const edited = change(text.text)
        if ('refusal' in edited) throw refused(edited.refusal)
        const after = encodedBytes({
          ...text,
          text: text.isCrlf ? edited.text.replaceAll('\r\n', '\n') : edited.text,
        })
        return {
          changes: [{ path, before, after, mode: null }],
          result: contentHash(after),
          text: edited.output,
        }
      },
    },
    caller,
    parts,
  )
  return run
}

function encodedBytes(text: Parameters<typeof toBytes>[0]): Buffer {
  encoded(text.text, 'path') // throws for half of a surrogate pair
  const bytes = toBytes(text)
  checkSize(bytes.length, 'path')
  return bytes
}
