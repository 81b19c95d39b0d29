import { visible } from '../../shared/schema/index.ts'
import { Button, ErrorText } from '../parts/basics.tsx'
import { toSize } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { words } from '../words.ts'
import { rareWords } from '../words/rare-words.ts'
import { type Transfer, transfers } from './transfers.ts'

const { files: texts } = rareWords

/** The uploads and downloads of this page, newest first. Several complete ones share one line, which opens to show them. */
export function Transfers() {
  const all = transfers.value.map((transfer, index, { length }) => ({
    transfer,
    row: <TransferRow key={`${transfer.act} ${transfer.name} ${length - index}`} transfer={transfer} />,
  }))
  const complete = all.filter(({ transfer: { state } }) => state === 'done')
  const isFolded = complete.length > 1
  const shown = isFolded ? all.filter((one) => !complete.includes(one)) : all
  return (
    <>
      {shown.length > 0 && (
        <ul class="card lines transfers" aria-label={texts.transfers}>
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

function TransferRow({ transfer }: { transfer: Transfer }) {
  const { name, path, phone, act, state, bytes, total, error, cancel, dismiss, replace, keepBoth } = transfer
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
      {state !== 'done' && (
        <div class="buttons">
          {state === 'exists' && (
            <>
              <Button onClick={keepBoth}>{texts.keepBoth}</Button>
              <Button kind="danger" onClick={replace}>
                {texts.replace}
              </Button>
            </>
          )}
          <Button onClick={state === 'active' ? cancel : dismiss}>
            {state === 'active' ? words.cancel : texts.dismiss}
          </Button>
        </div>
      )}
    </li>
  )
}
