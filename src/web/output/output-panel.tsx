import { computed, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { preferences } from '../local.ts'
import { Button, ErrorText } from '../parts/basics.tsx'
import { toCount, toSize } from '../parts/format.ts'
import { onDemand } from '../parts/on-demand.tsx'
import { route } from '../route.ts'
import { messageOf } from '../wire.ts'
import { words } from '../words.ts'
import type { OlderPart } from './older.ts'
import type { LineColumns, OutputState } from './output-state.ts'
import { ShownOutput } from './shown-output.ts'
import { streams } from './text-style.ts'
import { Tools } from './tools.tsx'
import type { FollowedRun } from './use-run.ts'

const FindBar = onDemand(() => import('./find-bar.tsx'))((module) => module.FindBar)

/** What stands before each line, as the user has chosen. */
const columns = computed<LineColumns>(() => ({
  isNumbered: preferences.lineNumbers.value === 'on',
  isTimed: preferences.lineTimes.value === 'on',
}))

/** An output of a run that has ended and is at most this long needs no room in which it could grow. */
const SHORT_BYTES = 500
const SHORT_LINES = 8

/** After the end of a run, less output than this arrives before anybody could read that it is missing. */
const MAX_UNSAID_BYTES = 250_000

/** Without the module that a call loads first, only a reload helps. */
const messageOfCall = (error: unknown): string => (error instanceof TypeError ? words.notLoaded : messageOf(error))

/** The live output of a run, with colours, find, wrap, copy and download. */
export function OutputPanel({ id, follower }: { id: string; follower: FollowedRun }) {
  const scroller = useRef<HTMLDivElement>(null)
  const container = useRef<HTMLDivElement>(null)
  const output = useRef<ShownOutput | null>(null)
  const state = useSignal<OutputState>({
    lines: 0,
    dropped: 0,
    isWhole: true,
    isComplete: false,
    isFollowing: true,
    hasUntimed: false,
    hasTimed: false,
    firstNumber: 1,
    lastNumber: 0,
    hasEarlier: false,
    older: null,
  })
  const isFinding = useSignal(false)
  useEffect(() => {
    container.current!.replaceChildren()
    const attempt = async (read: (parts: typeof import('./long-output.ts')) => Promise<OlderPart | null>) => {
      try {
        return await read(await import('./long-output.ts'))
      } catch (error) {
        follower.error.value = messageOfCall(error)
        return null
      }
    }
    const shown = new ShownOutput(scroller.current!, container.current!, {
      changed: (next) => (state.value = next),
      readOlder: (position) => attempt((parts) => parts.readPart(id, position, follower)),
      readLine: (line) => attempt((parts) => parts.readLine(id, line, follower)),
      only: follower.only,
      columns: columns.peek(),
    })
    output.current = shown
    void follower.writeTo(shown)
    return () => {
      follower.leave()
      shown.close()
    }
  }, [follower])
  useEffect(() => output.current?.setColumns(columns.value), [columns.value])
  const { query } = route.value
  const linked = Number(query.get('line')) || null
  const stream = streams.find((name) => name === query.get('stream')) ?? null
  useEffect(() => output.current?.link(linked === null ? null : { number: linked, stream }), [linked, stream, follower])
  useEffect(() => {
    if (linked !== null) follower.show(stream)
  }, [linked, stream])
  const {
    dropped,
    isWhole,
    isComplete,
    isFollowing,
    hasUntimed,
    hasTimed,
    firstNumber,
    lastNumber,
    hasEarlier,
    lines,
    older,
  } = state.value
  const isNumbered = columns.value.isNumbered || linked !== null
  const isUncounted = isComplete && isNumbered && lastNumber === null
  useEffect(() => {
    const { current } = output
    if (!isUncounted || !current) return
    void import('./long-output.ts').then(({ numberNewest }) => numberNewest(current, id, follower)).catch(() => {}) // a hint says that the lines have no numbers
  }, [follower, isUncounted])
  const { ended_at = null, stdout_bytes = 0, stderr_bytes = 0 } = follower.record.value ?? {}
  const unloaded = follower.unloadedBytes()
  const hidden = older
    ? [older.text]
    : [
        follower.skipped.value > 0 && words.output.skipped(toSize(follower.skipped.value)),
        follower.missing.value > 0 && words.output.missing(toSize(follower.missing.value)),
        dropped > 0 && follower.skipped.value === 0 && words.output.dropped(toCount(dropped)),
        unloaded > MAX_UNSAID_BYTES && words.output.unloaded(toSize(unloaded)),
      ].filter(Boolean)
  const isArriving = ended_at !== null && !isComplete
  if (isNumbered && firstNumber === null && !isArriving) hidden.push(words.output.unnumbered)
  const isAfterEnd = linked !== null && lastNumber !== null && linked > lastNumber
  if (isComplete && isAfterEnd && stream === follower.only) hidden.push(words.output.noLine(toCount(linked)))
  const isShort = ended_at !== null && stdout_bytes + stderr_bytes <= SHORT_BYTES && lines <= SHORT_LINES
  const isMixed = isComplete && stdout_bytes > 0 && stderr_bytes > 0 && follower.only === null
  const isAllLoaded = dropped === 0 && follower.skipped.value === 0
  const toStart = follower.missing.value === 0 && (
    <Button icon="up" onClick={() => output.current?.toStart(isAllLoaded)}>
      {words.output.toStart}
    </Button>
  )
  return (
    <div class={`output ${isShort ? 'short' : ''}`} hidden={follower.hasNoOutput()}>
      <Tools
        {...{ id, follower, container, isFinding, lines, lastNumber }}
        hasTimes={hasTimed || !isComplete}
        toError={async () => {
          const shown = output.current // the user may choose another stream before the call has ended
          try {
            const { showFirstError } = await import('./long-output.ts')
            if (!shown || shown.isClosed) return
            const isFound = await showFirstError(shown, id, follower)
            follower.error.value = isFound ? '' : words.output.noError
          } catch (error) {
            follower.error.value = messageOfCall(error)
          }
        }}
      />
      {isFinding.value && (
        <FindBar
          {...{ id, container, scroller, output }}
          isWhole={isWhole && older === null && follower.skipped.value === 0}
          {...{ isComplete, isFollowing }}
          only={follower.only}
          done={() => {
            isFinding.value = false
            scroller.current!.focus({ preventScroll: true })
          }}
        />
      )}
      <div class="hints">
        {hidden.length > 0 && (
          <p class="hint">
            {hidden.join(' · ')}{' '}
            {hasEarlier && (
              <Button kind="quiet" icon="up" onClick={() => output.current?.loadEarlier()}>
                {words.output.earlier}
              </Button>
            )}
            {isFollowing && toStart}
          </p>
        )}
        {isMixed && <p class="hint">{words.output.mixedOrder}</p>}
        {columns.value.isTimed && hasTimed && hasUntimed && <p class="hint untimed">{words.output.untimed}</p>}
      </div>
      <div
        class={`screen ${preferences.wrap.value === 'on' ? 'wrapped' : ''}`}
        ref={scroller}
        tabIndex={0}
        role="region"
        aria-label={words.output.title}
      >
        <div ref={container} class="blocks" />
      </div>
      {!isFollowing && (
        <div class="jump buttons">
          {toStart}
          <Button icon="down" onClick={() => output.current?.follow()}>
            {words.output.follow}
          </Button>
        </div>
      )}
      <ErrorText>{follower.error.value}</ErrorText>
    </div>
  )
}
