import { Card } from '../parts/basics.tsx'
import { rareWords } from '../words/rare-words.ts'

/** What the service warns about. */
export const Warnings = ({ warnings }: { warnings: string[] }) =>
  warnings.length > 0 && (
    <Card title={rareWords.phone.warnings} kind="warned">
      <ul class="bullets">
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </Card>
  )
