import type { Signal } from '@preact/signals'
import type { RefObject } from 'preact'
import { preferences } from '../local.ts'
import { Button } from '../parts/basics.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { toPlural, toSize } from '../parts/format.ts'
import type { IconName } from '../parts/icon.tsx'
import { words } from '../words.ts'
import { download } from './download.ts'
import { type Stream, streams } from './text-style.ts'
import type { FollowedRun } from './use-run.ts'

const { captions } = words.output

interface Props {
  id: string
  follower: FollowedRun
  container: RefObject<HTMLElement | null>
  isFinding: Signal<boolean>
  lines: number
  /** the number of the newest line; null: unknown, because not all lines were read */
  lastNumber: number | null
  /** whether a line has a time, or one that arrives later will */
  hasTimes: boolean
  /** goes to the first error */
  toError(): void
}

export function Tools({ id, follower, container, isFinding, lines, lastNumber, hasTimes, toError }: Props) {
  const [hasStdout, hasStderr] = streams.map((stream) => follower.used.value.includes(stream))
  const hasFailed = (follower.result.value?.exit_code ?? 0) !== 0
  const count = toPlural(lastNumber ?? lines, words.output.line, words.output.lines)
  const save = (stream: Stream) => download(id, stream).catch((error: Error) => (follower.error.value = error.message))
  return (
    <div class="tools">
      <span class="dim grow">
        {toSize(follower.bytes.value)} · {lastNumber === null ? words.output.atLeast(count) : count}
      </span>
      {(follower.only || (hasStdout && hasStderr)) && (
        <select
          aria-label={words.output.streams}
          value={follower.only ?? ''}
          onChange={({ currentTarget }) => follower.show((currentTarget.value || null) as Stream | null)}
        >
          <option value="">{words.output.bothStreams}</option>
          <option>stdout</option>
          <option>stderr</option>
        </select>
      )}
      {(hasStderr || hasFailed) && (
        <Button
          kind="quiet"
          icon="warn"
          label={words.output.toError}
          data-caption={captions.toError}
          onClick={toError}
        />
      )}
      <Toggle icon="numbers" name="lineNumbers" />
      <Toggle icon="clock" name="lineTimes" missing={hasTimes ? '' : words.output.noTimes} />
      <Button
        kind="quiet"
        icon="search"
        data-key="find"
        label={words.output.find}
        data-caption={captions.find}
        aria-pressed={isFinding.value}
        onClick={() => (isFinding.value = !isFinding.value)}
      />
      <Toggle icon="wrap" name="wrap" />
      <CopyButton text={() => container.current?.textContent ?? ''} copied={copiedLines} fallback={container} />
      {(hasStdout || !hasStderr) && (
        <Button
          kind="quiet"
          icon="download"
          label={words.output.download}
          data-caption="stdout"
          onClick={() => save('stdout')}
        />
      )}
      {hasStderr && (
        <Button kind="quiet" icon="download" label={words.output.downloadErrors} onClick={() => save('stderr')}>
          stderr
        </Button>
      )}
    </div>
  )
}

/** How much was copied: a long output is not loaded as a whole. */
function copiedLines(text: string): string {
  const { length } = text.replace(/\n$/, '').split('\n')
  return `${words.copied} ${toPlural(length, words.output.line, words.output.lines)}`
}

interface ToggleProps {
  icon: IconName
  name: 'lineNumbers' | 'lineTimes' | 'wrap'
  /** why it has no effect; empty: it has one */
  missing?: string
}

/** A button for a preference that is on or off. */
function Toggle({ icon, name, missing = '' }: ToggleProps) {
  const preference = preferences[name]
  const isOn = preference.value === 'on' && missing === ''
  return (
    <Button
      kind="quiet"
      icon={icon}
      label={words.output[name]}
      data-caption={captions[name]}
      aria-pressed={isOn}
      {...(missing !== '' && { disabled: true, title: `${words.output[name]}: ${missing}` })}
      onClick={() => (preference.value = isOn ? 'off' : 'on')}
    />
  )
}
