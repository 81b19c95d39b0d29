import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { prefers } from '../local.ts'
import { Button, ErrorText } from '../parts/basics.tsx'
import { toCount, toSize } from '../parts/format.ts'
import { connection, messageOf } from '../wire.ts'
import { words } from '../words.ts'
import { FindLine } from './find-line.tsx'
import { type OutputPosition, readOlder } from './older.ts'
import { ShownOutput, type OutputState } from './shown-output.ts'
import { followRun, type RunFollower } from './run-follower.ts'
import { Tools } from './tools.tsx'

/** A follower of a run for as long as a view shows it; where it could not be reached, another one when the service is back. */
export function useRun(id: string): RunFollower {
  const round = useSignal(0)
  const follower = useMemo(() => followRun(id), [id, round.value])
  const isBack = connection.value.state === 'connected'
  useEffect(() => {
    if (isBack && follower.isUnreachable()) round.value++
  }, [isBack, follower])
  return follower
}

/** The output of a run as it comes: colours, carriage returns, find, wrap, copy, download of the whole. */
export function OutputBox({ id, follower }: { id: string; follower: RunFollower }) {
  const scroller = useRef<HTMLDivElement>(null)
  const box = useRef<HTMLDivElement>(null)
  const output = useRef<ShownOutput | null>(null)
  const told = useSignal<OutputState>({ lines: 0, dropped: 0, isFollowing: true, older: null })
  const isFinding = useSignal(false)
  useEffect(() => {
    box.current!.replaceChildren()
    const read = (place: OutputPosition) =>
      readOlder(id, place).catch((error) => {
        follower.error.value = messageOf(error)
        return null
      })
    const made = new ShownOutput(scroller.current!, box.current!, (news) => (told.value = news), read)
    output.current = made
    void follower.into(made)
    return () => {
      follower.leave()
      made.close()
    }
  }, [follower])
  const { dropped, isFollowing, lines, older } = told.value
  const hidden = older
    ? [words.output.part(toCount(older.from), toCount(older.to))]
    : [
        follower.skipped.value > 0 && words.output.skipped(toSize(follower.skipped.value)),
        follower.missing.value > 0 && words.output.missing(toSize(follower.missing.value)),
        dropped > 0 && words.output.dropped(toCount(dropped)),
      ].filter(Boolean)
  return (
    <div class="output">
      <Tools id={id} follower={follower} box={box} isFinding={isFinding} lines={lines} />
      {isFinding.value && <FindLine box={box} scroller={scroller} done={() => (isFinding.value = false)} />}
      {hidden.length > 0 && (
        <p class="hint">
          {hidden.join(' · ')}{' '}
          <Button kind="quiet" icon="up" label={words.output.older} onClick={() => output.current?.earlier()} />
        </p>
      )}
      <div
        class={`screen ${prefers.wrap.value === 'on' ? 'wrapped' : ''}`}
        ref={scroller}
        tabIndex={0}
        role="region"
        aria-label={words.output.title}
      >
        <div ref={box} class="blocks" />
      </div>
      {!isFollowing && (
        <Button class="jump" icon="down" onClick={() => output.current?.follow()}>
          {words.output.follow}
        </Button>
      )}
      <ErrorText>{follower.error.value}</ErrorText>
    </div>
  )
}
