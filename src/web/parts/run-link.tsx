import { hrefOf } from '../route.ts'
import { words } from '../words.ts'

/** A link to a run, by what it did or else by the end of its id. */
export const RunLink = ({ id, text }: { id: string; text?: string | undefined }) => (
  <a
    class="mono"
    href={hrefOf('runs', [id])}
    aria-label={text === undefined ? `${words.runs.one} ${id.slice(-6)}` : undefined}
    title={id}
  >
    {text ?? id.slice(-6)}
  </a>
)
