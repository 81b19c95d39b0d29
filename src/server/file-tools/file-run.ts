import type { Caller, Transfer, TransferContext, Transfers, Watched } from '../exec/index.ts'
import type { Uploads } from '../files/index.ts'
import { type Artifact, ShellphoneError, type Who } from '../../shared/schema/index.ts'

/** The modules that the tools use. */
export interface FileToolParts {
  executor: Transfers
  /** unfinished files, which a restart removes */
  uploads: Uploads
}

/** A call of a file tool in progress. */
export interface FileRun<Result> {
  run: Watched
  /** the result, once the run has completed; null: it was denied or canceled */
  answer(): Answer<Result> | null
}

/** The result of a call, and its text for people and models, which is also the stdout of the run. */
interface Answer<Result> {
  result: Result
  text: string
}

/** What a tool returns when its work is done. */
export interface Done<Result> extends Answer<Result> {
  artifacts: Artifact[]
}

interface FileWork<Result> extends Omit<Transfer, 'work'> {
  work(context: TransferContext): Promise<Done<Result>>
}

/** Begins the run of a call. */
export async function beginFileRun<Result>(
  { work, ...transfer }: FileWork<Result>,
  caller: Caller,
  executor: Transfers,
): Promise<FileRun<Result>> {
  let answer: Answer<Result> | null = null
  const run = await executor.transfer(
    {
      ...transfer,
      async work(context) {
        try {
          const { result, text, artifacts } = await work(context)
          answer = { result, text }
          return { ending: 'completed', artifacts, notes: [], text }
        } catch (error) {
          if (!context.canceled.aborted || error instanceof ShellphoneError) throw error
          return { ending: 'canceled', artifacts: [], notes: [] }
        }
      },
    },
    caller,
  )
  return { run, answer: () => answer }
}

/** Whether the token's right `files` allows this access. */
export const mayUseFiles = ({ files }: Who, wanted: 'read' | 'write'): boolean => files === 'write' || files === wanted

/** Throws FORBIDDEN unless the token's right `files` allows it. */
export function checkFilesRight(who: Who, wanted: 'read' | 'write'): void {
  if (mayUseFiles(who, wanted)) return
  const { files } = who
  const verb = wanted === 'read' ? 'read' : 'change'
  throw new ShellphoneError('FORBIDDEN', `This token's right "files" is ${files}: it may not ${verb} files here`)
}
