import { hrefOf } from '../route.ts'
import { words } from '../words.ts'

/** A link to a run, by the end of its id. */
export const RunLink = ({ id }: { id: string }) => (
  <a class="mono" href={hrefOf('runs', [id])} aria-label={`${words.runs.one} ${id.slice(-6)}`} title={id}>
    {id.slice(-6)}
  </a>
)
