import { useState } from 'preact/hooks'
import type { NewToken as Made } from '../../sdk/index.ts'
import { send } from '../api.ts'
import { Button, Card, Choice, Field } from '../parts/basics.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { ask, messageOf } from '../wire.ts'
import { words } from '../words.ts'

const { access: texts } = words

/** What the form holds: texts as they are typed and chosen. */
const empty = { name: '', approves: 'none', read: 'own', shell: false, policy: '', expires_in_days: '90' }
type TokenForm = typeof empty

const toInput = ({ name, approves, read, shell, policy, expires_in_days: days }: TokenForm) => ({
  ...{ name, approves, read, shell },
  ...(policy && { policy }),
  ...(days && { expires_in_days: Number(days) }),
})

/** A token for an agent, told once. */
export function NewToken({ done }: { done(): void }) {
  const [wanted, setWanted] = useState(empty)
  const [trouble, setTrouble] = useState('')
  const [made, setMade] = useState<Made | null>(null)
  const set = (change: Partial<TokenForm>) => setWanted({ ...wanted, ...change })
  const submit = async (event: Event) => {
    event.preventDefault()
    try {
      setMade(await ask(send<Made>('POST', '/tokens', toInput(wanted))))
      setTrouble('')
      setWanted(empty)
      done()
    } catch (error) {
      setTrouble(messageOf(error))
    }
  }
  return (
    <Card title={texts.newToken}>
      {made && <Secret made={made} close={() => setMade(null)} />}
      <details>
        <summary>{texts.newTokenHint}</summary>
        <form class="form" onSubmit={submit}>
          <Field label={texts.name} hint={words.pair.nameHint} trouble={trouble}>
            {(tied) => (
              <input
                {...tied}
                required
                pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,62}"
                autocomplete="off"
                value={wanted.name}
                onInput={({ currentTarget }) => set({ name: currentTarget.value })}
              />
            )}
          </Field>
          <div class="two">
            <Choice
              label={texts.approvesLabel}
              names={texts.approves}
              value={wanted.approves}
              set={(approves) => set({ approves })}
              hint={texts.approvesHint}
            />
            <Choice label={texts.readsLabel} names={texts.reads} value={wanted.read} set={(read) => set({ read })} />
            <Choice
              label={texts.policyLabel}
              names={texts.policies}
              value={wanted.policy}
              set={(policy) => set({ policy })}
            />
            <Choice
              label={texts.expires}
              names={texts.spans}
              value={wanted.expires_in_days}
              set={(days) => set({ expires_in_days: days })}
            />
          </div>
          <label class="check">
            <input
              type="checkbox"
              checked={wanted.shell}
              onChange={({ currentTarget }) => set({ shell: currentTarget.checked })}
            />
            {texts.shellLabel}
          </label>
          <div class="buttons">
            <Button type="submit" kind="main" icon="plus">
              {texts.make}
            </Button>
          </div>
        </form>
      </details>
    </Card>
  )
}

const Secret = ({ made: { name, token }, close }: { made: Made; close(): void }) => (
  <div class="secret" role="status">
    <p>{texts.told(name)}</p>
    <code class="breaks">{token}</code>
    <div class="buttons">
      <CopyButton text={token} label={texts.copyToken}>
        {words.copy}
      </CopyButton>
      <Button kind="quiet" icon="close" onClick={close}>
        {words.close}
      </Button>
    </div>
  </div>
)
