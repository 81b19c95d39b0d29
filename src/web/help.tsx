import { useEffect, useRef } from 'preact/hooks'
import { isHelpShown } from './page-keys.ts'
import { preferences } from './local.ts'
import { Button } from './parts/basics.tsx'
import { shownViews, type View } from './views.ts'
import { words } from './words.ts'
import { helpWords } from './words/help-words.ts'

/** The list of keys, which `?` opens. */
export function Help() {
  const dialog = useRef<HTMLDialogElement>(null)
  const isShown = isHelpShown.value
  useEffect(() => {
    if (isShown) dialog.current?.showModal()
    else dialog.current?.close()
  }, [isShown])
  const { title, rows, typing, switch: name, on, never } = helpWords
  return (
    <dialog ref={dialog} class="help" aria-label={title} onClose={() => (isHelpShown.value = false)}>
      <div class="title">
        <h2>{title}</h2>
        <Button kind="quiet" icon="close" label={words.close} onClick={() => (isHelpShown.value = false)} />
      </div>
      <dl class="keys">
        {[...rows, ...shownViews().map(toRow)].map(([keys, what]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={preferences.keys.value === 'on'}
          onChange={({ currentTarget }) => (preferences.keys.value = currentTarget.checked ? 'on' : 'off')}
        />
        {name}: {preferences.keys.value === 'on' ? on : never}
      </label>
      <p class="hint">{typing}</p>
    </dialog>
  )
}

const toRow = ({ name, key }: View): [string, string] => [`g ${key}`, words.views[name]]
