import type { Health, Setting } from '../../sdk/index.ts'
import { get } from '../api.ts'
import { Field, Tag, Title } from '../parts/basics.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { toSize, toSpan } from '../parts/format.ts'
import { usePolled } from '../parts/poll.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { go, hrefOf, type ViewProps } from '../route.ts'
import { bySubject } from '../../shared/schema/index.ts'
import { words } from '../words.ts'
import { Warnings } from './warnings.tsx'
import { settingsWords as texts } from '../words/settings-words.ts'

/** How often to read the settings again: no event reports that one has changed. */
const POLL_MS = 10_000

interface SettingsResponse {
  config_file: string
  settings: Setting[]
}

/** Every setting, read-only: a page that can change settings would be a target for attacks. The search is at `#/settings?q=TEXT&changed=true`. */
export function Settings({ query }: ViewProps) {
  const answer = usePolled(get<SettingsResponse>('/settings'), POLL_MS)
  const health = usePolled(get<Health>('/health'), POLL_MS)
  const { q: search = '', changed = '' } = Object.fromEntries(query)
  const isChangedOnly = changed === 'true'
  const show = (part: Record<string, string>) => go(hrefOf('settings', [], { q: search, changed, ...part }), 'replace')
  return (
    <>
      <Title>{words.views.settings}</Title>
      <Warnings warnings={health.value?.warnings ?? []} />
      <Loaded from={answer}>
        {({ config_file, settings }) => {
          const shown = settings.filter((one) => matches(one, search) && (!isChangedOnly || isChanged(one)))
          const isFiltered = search.trim() !== '' || isChangedOnly
          return (
            <>
              <p class="dim">
                <Explained text={texts.readOnly} /> <code class="breaks">{config_file}</code>
              </p>
              <div class="filters">
                <Field label={texts.search}>
                  {(inputProps) => (
                    <input
                      {...inputProps}
                      type="search"
                      value={search}
                      onInput={({ currentTarget }) => show({ q: currentTarget.value })}
                    />
                  )}
                </Field>
                <label class="check">
                  <input
                    type="checkbox"
                    checked={isChangedOnly}
                    onChange={({ currentTarget }) => show({ changed: currentTarget.checked ? 'true' : '' })}
                  />
                  {texts.changedOnly}
                </label>
              </div>
              <p class="hint" role="status">
                {texts.shown(shown.length, settings.length)}
              </p>
              {shown.length === 0 ? (
                <Empty icon="search">{texts.none}</Empty>
              ) : (
                bySubject(shown).map(([title, members]) => (
                  <Group key={`${title} ${isFiltered}`} title={title} settings={members} isOpen={isFiltered} />
                ))
              )}
            </>
          )
        }}
      </Loaded>
    </>
  )
}

/** Settings that belong together; closed, so that the groups are an overview, until the user opens it or searches. */
function Group({ title, settings, isOpen }: { title: string; settings: Setting[]; isOpen: boolean }) {
  const changed = settings.filter(isChanged).length
  return (
    <details class="card setting-group" open={isOpen}>
      <summary>
        <h2>{title}</h2> <span class="dim">{settings.length}</span>{' '}
        {changed > 0 && <Tag kind="info">{texts.changedCount(changed)}</Tag>}
      </summary>
      <ul class="settings">
        {settings.map((one) => (
          <Row key={one.name} setting={one} />
        ))}
      </ul>
    </details>
  )
}

/** Whether the value is not the default, or will not be after a restart. */
const isChanged = ({ source, waiting }: Setting) => source !== 'default' || waiting !== undefined

const matches = ({ name, meaning }: Setting, search: string) =>
  search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => name.toLowerCase().includes(word) || meaning.toLowerCase().includes(word))

/** The value as JSON, which is valid YAML. */
const toYaml = (value: unknown) => JSON.stringify(value)

/** A size or a time in a larger unit; empty for other values. */
function inWords(value: unknown, unit: string): string {
  if (typeof value !== 'number' || value === 0) return ''
  if (unit === 'bytes' && value >= 1000) return `(${toSize(value)})`
  return unit === 'seconds' && value >= 60 ? `(${toSpan(value * 1000)})` : ''
}

const shownDefault = (value: unknown, unit: string): string =>
  `${typeof value === 'string' ? value : toYaml(value)} ${inWords(value, unit)}`.trim()

/** A text in which backticks mark code. */
const Explained = ({ text }: { text: string }) => (
  <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>
)

function Row({ setting }: { setting: Setting }) {
  const { name, value, default: usual, source, waiting, live, unit, meaning, expected } = setting
  const line = `${name}: ${toYaml(value)}`
  const isGiven = source !== 'default'
  const effect = source === 'environment' || source === 'flags' ? texts.overridden : live ? texts.live : texts.restart
  return (
    <li class="setting">
      <p class="spread">
        <code class="breaks name">{name}</code>
        <span>
          {waiting !== undefined && <Tag kind="warn">{texts.waiting}</Tag>}{' '}
          <Tag kind={isGiven ? 'info' : 'dim'}>{texts.source[source]}</Tag>
        </span>
      </p>
      <p>
        <Explained text={meaning} />.
      </p>
      <p class="spread">
        <span>
          <code class="breaks value">
            {toYaml(value)} {unit}
          </code>{' '}
          <span class="dim">{inWords(value, unit)}</span>
        </span>
        <CopyButton text={line} label={texts.copy(name)} />
      </p>
      <p class="hint breaks">
        {isGiven ? texts.changed(texts.from[source], shownDefault(usual, unit)) : texts.unchanged}{' '}
        {waiting === undefined ? effect : texts.next(toYaml(waiting))} <Explained text={texts.allowed(expected)} />
      </p>
    </li>
  )
}
