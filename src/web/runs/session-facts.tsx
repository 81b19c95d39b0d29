import { visible } from '../../shared/schema/index.ts'
import type { RunRecord } from '../../sdk/index.ts'
import { hrefOf } from '../route.ts'
import { rareWords } from '../words/rare-words.ts'

const { sessions: texts } = rareWords

/** The session in which a run was, what the run changed in it, and whether the next command starts in that state. */
export function SessionFacts({ name, cwd, set, unset, kept, reason }: NonNullable<RunRecord['session']>) {
  const changes = [...set.map((one) => texts.hasSet(visible(one))), ...unset.map((one) => texts.hasUnset(visible(one)))]
  return (
    <>
      <a href={hrefOf('sessions')}>{name}</a>
      {changes.length > 0 && <p>{changes.join(', ')}</p>}
      <p class="dim">{kept ? texts.kept(visible(cwd)) : texts.notKept[reason ?? 'unfinished']}</p>
    </>
  )
}
