import { useState } from 'preact/hooks'
import { NAME } from '../../shared/schema/index.ts'
import type { NewToken as CreatedToken } from '../../sdk/index.ts'
import { send } from '../api.ts'
import { Button, Card, ErrorText, Field, literalInput } from '../parts/basics.tsx'
import { Choice } from '../parts/choice.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { ask, messageOf } from '../wire.ts'
import { words } from '../words.ts'
import { pairWords } from '../words/pair-words.ts'
import { rareWords } from '../words/rare-words.ts'

const { access: texts } = rareWords

/** The fields of the form as text. */
const empty = {
  ...{ name: '', approves: 'none', read: 'own', files: 'write', shell: false, policy: '' },
  ...{ addresses: '', expires_in_days: '90' },
}
type TokenForm = typeof empty

const toInput = ({ policy, addresses, expires_in_days: days, ...rights }: TokenForm) => ({
  ...rights,
  ...(policy && { policy }),
  addresses: addresses.split(/[\s,]+/).filter(Boolean),
  ...(days && { expires_in_days: Number(days) }),
})

/** Creates a token for an agent and shows it once. */
export function NewToken({ done }: { done(): void }) {
  const [form, setForm] = useState(empty)
  const [errorText, setErrorText] = useState('')
  const [created, setCreated] = useState<CreatedToken | null>(null)
  const set = (change: Partial<TokenForm>) => setForm({ ...form, ...change })
  const submit = async (event: Event) => {
    event.preventDefault()
    try {
      setCreated(await ask(send<CreatedToken>('POST', '/tokens', toInput(form))))
      setErrorText('')
      setForm(empty)
      done()
    } catch (error) {
      setErrorText(messageOf(error))
    }
  }
  return (
    <Card title={texts.newToken}>
      {created && <Secret created={created} close={() => setCreated(null)} />}
      <details>
        <summary>{texts.newTokenHint}</summary>
        <form class="form" onSubmit={submit}>
          <Field label={texts.name} hint={pairWords.nameHint}>
            {(inputProps) => (
              <input
                {...inputProps}
                required
                pattern={NAME.source}
                title={pairWords.nameFormat}
                autocomplete="off"
                value={form.name}
                onInput={({ currentTarget }) => set({ name: currentTarget.value })}
              />
            )}
          </Field>
          <div class="two">
            <Choice
              label={texts.approvesLabel}
              names={texts.approves}
              value={form.approves}
              set={(approves) => set({ approves })}
              hint={texts.approvesHint}
            />
            <Choice label={texts.readsLabel} names={texts.reads} value={form.read} set={(read) => set({ read })} />
            <Choice
              label={texts.filesLabel}
              names={texts.files}
              value={form.files}
              set={(files) => set({ files })}
              hint={texts.filesHint}
            />
            <Choice
              label={texts.policyLabel}
              names={texts.policies}
              value={form.policy}
              set={(policy) => set({ policy })}
            />
            <Choice
              label={texts.expires}
              names={texts.spans}
              value={form.expires_in_days}
              set={(days) => set({ expires_in_days: days })}
            />
            <Field label={texts.addressesLabel} hint={texts.addressesHint}>
              {(inputProps) => (
                <input
                  {...inputProps}
                  {...literalInput}
                  value={form.addresses}
                  onInput={({ currentTarget }) => set({ addresses: currentTarget.value })}
                />
              )}
            </Field>
          </div>
          <label class="check">
            <input
              type="checkbox"
              checked={form.shell}
              onChange={({ currentTarget }) => set({ shell: currentTarget.checked })}
            />
            {texts.shellLabel}
          </label>
          <ErrorText>{errorText}</ErrorText>
          <div class="buttons">
            <Button type="submit" kind="main" icon="plus">
              {texts.create}
            </Button>
          </div>
        </form>
      </details>
    </Card>
  )
}

const Secret = ({ created: { name, token }, close }: { created: CreatedToken; close(): void }) => (
  <div class="secret" role="status">
    <p>{texts.shownOnce(name)}</p>
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
