import type { Signal } from '@preact/signals'
import type { RefObject } from 'preact'
import { preferences } from '../local.ts'
import { Button } from '../parts/basics.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { toPlural, toSize } from '../parts/format.ts'
import type { IconName } from '../parts/icon.tsx'
import { words } from '../words.ts'
import { download } from './download.ts'
import type { Stream } from './text-style.ts'
import type { FollowedRun } from './use-run.ts'

const { captions } = words.output

interface Props {
  id: string
  follower: FollowedRun
  container: RefObject<HTMLElement | null>
  isFinding: Signal<boolean>
  lines: number
  /** goes to the first error */
  toError(): void
}

export function Tools({ id, follower, container, isFinding, lines, toError }: Props) {
  const { stdout_bytes = 0, stderr_bytes = 0, exit_code } = follower.result.value ?? {}
  const hasEnded = follower.result.value !== null
  const save = (stream: Stream) => download(id, stream).catch((error: Error) => (follower.error.value = error.message))
  return (
    <div class="tools">
      <span class="dim grow">
        {toSize(follower.bytes.value)} · {toPlural(lines, words.output.line, words.output.lines)}
      </span>
      {(follower.only || (stdout_bytes > 0 && stderr_bytes > 0)) && (
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
      {(stderr_bytes > 0 || (hasEnded && exit_code !== 0)) && (
        <Button
          kind="quiet"
          icon="warn"
          label={words.output.toError}
          data-caption={captions.toError}
          onClick={toError}
        />
      )}
      <Toggle icon="rules" name="lineNumbers" />
      <Toggle icon="clock" name="lineTimes" />
      <Button
        kind="quiet"
        icon="search"
        label={words.output.find}
        data-caption={captions.find}
        aria-pressed={isFinding.value}
        onClick={() => (isFinding.value = !isFinding.value)}
      />
      <Toggle icon="wrap" name="wrap" />
      <CopyButton text={() => container.current?.textContent ?? ''} fallback={container} />
      {(stdout_bytes > 0 || stderr_bytes === 0) && (
        <Button
          kind="quiet"
          icon="download"
          label={words.output.download}
          data-caption="stdout"
          onClick={() => save('stdout')}
        />
      )}
      {hasEnded && stderr_bytes > 0 && (
        <Button kind="quiet" icon="download" label={words.output.downloadErrors} onClick={() => save('stderr')}>
          stderr
        </Button>
      )}
    </div>
  )
}

/** A button for a preference that is on or off. */
function Toggle({ icon, name }: { icon: IconName; name: 'lineNumbers' | 'lineTimes' | 'wrap' }) {
  const preference = preferences[name]
  const isOn = preference.value === 'on'
  return (
    <Button
      kind="quiet"
      icon={icon}
      label={words.output[name]}
      data-caption={captions[name]}
      aria-pressed={isOn}
      onClick={() => (preference.value = isOn ? 'off' : 'on')}
    />
  )
}
