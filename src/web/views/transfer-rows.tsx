import { visible } from '../../shared/schema/index.ts'
import { Button, ErrorText } from '../parts/basics.tsx'
import { toSize } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { words } from '../words.ts'
import { rareWords } from '../words/rare-words.ts'
import { type Transfer, transfers } from './transfers.ts'

const { files: texts } = rareWords

/** The uploads and downloads of this page, newest first. Several complete ones can be dismissed at once. */
export function Transfers() {
  const all = transfers.value
  const complete = all.filter(({ state }) => state === 'done')
  if (all.length === 0) return null
  return (
    <>
      {complete.length > 1 && (
        <div class="buttons">
          <Button onClick={() => complete.forEach(({ dismiss }) => dismiss())}>
            {texts.dismissComplete(complete.length)}
          </Button>
        </div>
      )}
      <ul class="card lines transfers" aria-label={texts.transfers}>
        {all.map((one, index) => (
          <TransferRow key={`${one.act} ${one.name} ${all.length - index}`} transfer={one} />
        ))}
      </ul>
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
      </p>
      {state === 'active' && (
        <progress value={bytes} max={total ?? undefined} aria-label={texts.of[act](visible(name))} />
      )}
      <ErrorText>{error}</ErrorText>
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
    </li>
  )
}
