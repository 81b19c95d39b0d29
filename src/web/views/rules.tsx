import { useState } from 'preact/hooks'
import { Script } from '../approvals/script.tsx'
import { visible } from '../../shared/schema/index.ts'
import type { SavedRule } from '../../sdk/index.ts'
import { Button, Facts, Title, ErrorText } from '../parts/basics.tsx'
import { toAgo, toDayAndTime } from '../parts/format.ts'
import { Empty, Loaded, useAnswer } from '../parts/states.tsx'
import { dialectOf } from '../runs/dialect-of-run.ts'
import { ask, messageOf } from '../wire.ts'
import { words } from '../words.ts'
import { rareWords } from '../words/rare-words.ts'

/** The saved approvals: what each covers, who saved it, and when it expires. */
export function Rules() {
  const saved = useAnswer((phone) => phone.approvals())
  return (
    <>
      <Title>{words.views.rules}</Title>
      <p class="dim">{rareWords.rules.text}</p>
      <Loaded from={saved}>
        {({ rules }) =>
          rules.length === 0 ? (
            <Empty icon="rules">{rareWords.rules.none}</Empty>
          ) : (
            rules.map((rule) => <Rule key={rule.id} rule={rule} done={saved.again} />)
          )
        }
      </Loaded>
    </>
  )
}

function Rule({ rule, done }: { rule: SavedRule; done: () => void }) {
  const [errorText, setErrorText] = useState('')
  const revoke = () =>
    ask((phone) => phone.request(`/approvals/rules/${encodeURIComponent(rule.id)}`, { method: 'DELETE' }))
      .then(done)
      .catch((error) => setErrorText(messageOf(error)))
  const { facts } = words.approvals
  return (
    <article class="card" data-row tabIndex={-1} aria-label={visible(rule.command)}>
      <Script text={rule.command} />
      <Facts
        rows={[
          [rareWords.rules.token, visible(rule.token)],
          [facts.directory, <code key="cwd">{visible(rule.working_directory)}</code>],
          [facts.dialect, dialectOf(rule)],
          [facts.sandbox, rule.sandbox],
          [facts.rule, rule.rule && visible(rule.rule)],
          [facts.env, rule.env_names.map(visible).join(', ')],
          [facts.stdin, rule.stdin_sha256 && `sha256 ${rule.stdin_sha256.slice(0, 12)}…`],
          [facts.files, rule.files.map(({ path }) => visible(path)).join(', ')],
          [rareWords.rules.by, rareWords.rules.saved(visible(rule.by), rule.how, toDayAndTime(rule.created_at))],
          [rareWords.rules.until, `${toDayAndTime(rule.expires_at)} (${toAgo(rule.expires_at)})`],
        ]}
      />
      <div class="buttons">
        <Button kind="danger" icon="trash" onClick={revoke}>
          {rareWords.rules.revoke}
        </Button>
      </div>
      <ErrorText>{errorText}</ErrorText>
    </article>
  )
}
