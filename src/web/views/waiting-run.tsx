import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { RunSummary } from '../../sdk/index.ts'
import { Button, ErrorText } from '../parts/basics.tsx'
import { Status } from '../parts/run-row.tsx'
import { hrefOf } from '../route.ts'
import { isWaiting } from '../waiting.ts'
import { ask, live, messageOf } from '../wire.ts'
import { words } from '../words.ts'

/** The run of this phone that waits for approval and whose command is accepted by `isOf`. */
export const waitingRun = (isOf: (command: string) => boolean): RunSummary | undefined =>
  live.runs.value.find((run) => isWaiting(run) && isOf(run.command))

/** Calls `ended` with the id of a run that waited when it has ended: after a reload, the page has no request that would say so. */
export function useEndOf(waiting: RunSummary | undefined, ended: (id: string) => void): void {
  const id = useRef<string | undefined>(undefined)
  if (waiting) id.current = waiting.id
  const isLive = live.runs.value.some((run) => run.id === id.current)
  useEffect(() => {
    if (isLive || id.current === undefined) return
    ended(id.current)
    id.current = undefined
  }, [isLive])
}

/** Calls `close` when the change that was just requested waits for approval: FileChanges shows it from then on. */
export function useHandOver(isBusy: boolean, isOf: (command: string) => boolean, close: () => void): void {
  const isWaiting = isBusy && waitingRun(isOf) !== undefined
  useEffect(() => {
    if (isWaiting) close()
  }, [isWaiting])
}

interface Props {
  run: RunSummary
  /** the user has just requested it */
  isNew: boolean
  /** what the run changes, where nothing beside it says so */
  about?: string
  /** (default: cancels the run) */
  withdraw?: () => void
}

/** Says that a run waits for approval, with a link to answer it and a button that withdraws it. */
export function WaitingRun({ run: { id }, isNew, about, withdraw }: Props) {
  const [errorText, setErrorText] = useState('')
  const element = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    if (isNew) element.current!.scrollIntoView({ block: 'nearest' }) // the bar with the pending approvals could cover it
  }, [])
  const cancel = () => ask((phone) => phone.cancel(id)).catch((error) => setErrorText(messageOf(error)))
  return (
    <span ref={element} class="waiting-run">
      {about && <span class="breaks">{about}</span>}
      <span role="status">
        <Status status="waiting" />
      </span>
      <a class="button" href={hrefOf('runs', [id])}>
        {words.frame.review}
      </a>
      <Button onClick={withdraw ?? cancel}>{words.cancel}</Button>
      <ErrorText>{errorText}</ErrorText>
    </span>
  )
}
