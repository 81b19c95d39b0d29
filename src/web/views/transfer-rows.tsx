import { shellWord, visible } from '../../shared/schema/index.ts'
import { Button, ErrorText } from '../parts/basics.tsx'
import { toSize } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { selectedPhone } from '../route.ts'
import { words } from '../words.ts'
import { rareWords } from '../words/rare-words.ts'
import { type Transfer, transfers } from './transfers.ts'
import { waitingRun, WaitingRun } from './waiting-run.tsx'

const { files: texts } = rareWords

/**
 * The uploads and downloads of this page, newest first. Uploads that were started together and whose names exist share one question, and
 * several complete transfers share one line, which opens to show them.
 */
export function Transfers() {
  const existing = transfers.value.filter(({ state }) => state === 'exists')
  const batches = [...new Set(existing.map(({ batch }) => batch))]
  const all = transfers.value.map((transfer, index, { length }) => ({
    transfer,
    row: <TransferRow key={`${transfer.act} ${transfer.name} ${length - index}`} transfer={transfer} />,
  }))
  const complete = all.filter(({ transfer: { state } }) => state === 'done')
  const isFolded = complete.length > 1
  const shown = all.filter(({ transfer: { state } }) => state !== 'exists' && !(isFolded && state === 'done'))
  return (
    <>
      {shown.length + batches.length > 0 && (
        <ul class="card lines transfers" aria-label={texts.transfers}>
          {batches.map((batch, index) => (
            <Conflict key={batches.length - index} uploads={existing.filter((one) => one.batch === batch)} />
          ))}
          {shown.map(({ row }) => row)}
        </ul>
      )}
      {isFolded && (
        <div class="card spread transfers">
          <details>
            <summary>{texts.complete(complete.length)}</summary>
            <ul class="lines" aria-label={texts.complete(complete.length)}>
              {complete.map(({ row }) => row)}
            </ul>
          </details>
          <Button onClick={() => complete.forEach(({ transfer: { dismiss } }) => dismiss())}>{texts.dismiss}</Button>
        </div>
      )}
    </>
  )
}

/** Uploads that were started together and whose names exist: one answer for all of them, or one for each. */
function Conflict({ uploads }: { uploads: Transfer[] }) {
  const { name, path, phone, batch } = uploads[0]!
  const isOne = uploads.length === 1
  return (
    <li>
      <p class="spread">
        <span class="breaks">
          <Icon name="up" />{' '}
          {isOne ? visible(name) : <span role="status">{texts.exist(uploads.length, batch!.count)}</span>}{' '}
          <span class="dim">{[phone, visible(isOne ? path : batch!.folder)].filter(Boolean).join(' · ')}</span>
        </span>
        {isOne && (
          <span class="dim" role="status">
            {texts.state.exists}
          </span>
        )}
      </p>
      <Answers uploads={uploads} />
      {!isOne && (
        <details>
          <summary>{texts.oneByOne}</summary>
          <ul class="lines">
            {uploads.toReversed().map((upload) => (
              <li key={upload.path}>
                <p class="breaks">{visible(upload.name)}</p>
                <Answers uploads={[upload]} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  )
}

function Answers({ uploads }: { uploads: Transfer[] }) {
  const isOne = uploads.length === 1
  const of = isOne && <span class="unseen"> {visible(uploads[0]!.name)}</span>
  return (
    <div class="buttons">
      <Button onClick={() => uploads.forEach(({ keepBoth }) => keepBoth!())}>
        {texts.keepBoth}
        {of}
      </Button>
      <Button kind="danger" onClick={() => uploads.forEach(({ replace }) => replace!())}>
        {isOne ? texts.replace : texts.replaceAll}
        {of}
      </Button>
      <Button onClick={() => uploads.forEach(({ dismiss }) => dismiss())}>
        {isOne ? texts.skip : texts.skipAll}
        {of}
      </Button>
    </div>
  )
}

/** The command that the service records for an upload. */
const isUploadTo =
  (path: string) =>
  (command: string): boolean =>
    command === `tee ${shellWord(path)}`

function TransferRow({ transfer }: { transfer: Transfer }) {
  const { name, path, phone, act, state, bytes, total, error, cancel, dismiss } = transfer
  const isHere = act === 'upload' && state === 'active' && phone === selectedPhone.value
  const waiting = isHere && waitingRun(isUploadTo(path))
  const size = total === null ? toSize(bytes) : texts.progress(toSize(bytes), toSize(total))
  return (
    <li>
      <p class="spread">
        <span class="breaks">
          <Icon name={act === 'upload' ? 'up' : 'download'} /> {visible(name)}{' '}
          <span class="dim">{[phone, visible(path)].filter(Boolean).join(' · ')}</span>
        </span>
        <span class="dim" role="status">
          {state === 'active' ? size : texts.state[state]}
        </span>
        {state === 'done' && <Button onClick={dismiss}>{texts.dismiss}</Button>}
      </p>
      {state === 'active' && (
        <progress value={bytes} max={total ?? undefined} aria-label={texts.of[act](visible(name))} />
      )}
      <ErrorText>{error}</ErrorText>
      {waiting && <WaitingRun run={waiting} isNew={false} withdraw={cancel} />}
      {state !== 'done' && !waiting && (
        <div class="buttons">
          <Button onClick={state === 'active' ? cancel : dismiss}>
            {state === 'active' ? words.cancel : texts.dismiss}
          </Button>
        </div>
      )}
    </li>
  )
}
