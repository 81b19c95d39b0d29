import { useEffect, useState } from 'preact/hooks'
import type { PhoneApproval } from '../approval-cards.ts'
import { escapePattern } from '../../shared/schema/index.ts'
import { ask } from '../wire.ts'

/** The simple commands for which the policy calls a script a high risk; null until the policy has answered. */
export function useRiskyParts({ id, command, working_directory, risk, phone: name }: PhoneApproval): string[] | null {
  const [parts, setParts] = useState<string[] | null>(null)
  useEffect(() => {
    if (risk !== 'high') return setParts([])
    ask((phone) => phone.check(command, undefined, { working_directory }), name).then(
      ({ guards }) => setParts(guards.flatMap((finding) => (finding.risk === 'high' && finding.command) || [])),
      () => setParts([]), // the card is complete without it
    )
  }, [id])
  return parts
}

/** Splits a line: the odd pieces are the given commands. */
export function splitAt(parts: string[], line: string): string[] {
  if (parts.length === 0) return [line]
  const longestFirst = parts.toSorted((one, other) => other.length - one.length)
  const patterns = longestFirst.map(escapePattern)
  return line.split(new RegExp(`(?<![\\w./-])(${patterns.join('|')})(?![\\w/-])`))
}
