import { useRef, useState } from 'preact/hooks'
import type { FileEntry, RunSummary } from '../../sdk/index.ts'
import { Button, ErrorText } from '../parts/basics.tsx'
import { commandLine, Status } from '../parts/run-row.tsx'
import { isWaiting } from '../waiting.ts'
import { live } from '../wire.ts'
import { rareWords } from '../words/rare-words.ts'
import { childOf } from './directory-tools.tsx'
import { failureIn, isChange, isChangeOf, isRenamingOf, isRequested } from './file-command.ts'
import { useEndOf, WaitingRun } from './waiting-run.tsx'

const { files: texts } = rareWords

interface Props {
  folder: string
  /** the entries of the directory that have a row; it shows their changes */
  entries: FileEntry[]
  /** called when a change has ended */
  changed(): void
}

/** The changes that wait for approval and have no row, such as new directories, until they are made or their failure is dismissed. */
export function FileChanges({ folder, entries, changed }: Props) {
  const seen = useRef(new Map<string, RunSummary>())
  const [, setDismissed] = useState('')
  /** RenameOpen shows the change of the directory */
  const hasRow = (command: string) =>
    isRenamingOf(folder)(command) || entries.some(({ name }) => isChangeOf(childOf(folder, name))(command))
  for (const run of live.runs.value) {
    if (!isWaiting(run) || !isChange(run.command)) continue
    if (hasRow(run.command)) seen.current.delete(run.id)
    else seen.current.set(run.id, run)
  }
  const dismiss = (id: string) => {
    seen.current.delete(id)
    setDismissed(id)
  }
  if (seen.current.size === 0) return null
  return (
    <ul class="card lines transfers" aria-label={texts.changes}>
      {[...seen.current.values()].map((run) => (
        <Change key={run.id} run={run} changed={changed} dismiss={() => dismiss(run.id)} />
      ))}
    </ul>
  )
}

function Change({ run: { id, command }, changed, dismiss }: { run: RunSummary; changed(): void; dismiss(): void }) {
  const [errorText, setErrorText] = useState('')
  const run = live.runs.value.find((one) => one.id === id)
  useEndOf(run, () => {
    changed() // a deletion that failed may have deleted some of them
    void failureIn(id).then((failure) => (failure === '' ? dismiss() : setErrorText(failure)))
  })
  return (
    <li>
      <p class="breaks mono">{commandLine(command)}</p>
      {run && (isWaiting(run) ? <WaitingRun run={run} isNew={isRequested(command)} /> : <Status status={run.status} />)}
      <ErrorText>{errorText}</ErrorText>
      {errorText !== '' && <Button onClick={dismiss}>{texts.dismiss}</Button>}
    </li>
  )
}
