import { computed, signal } from '@preact/signals'
import type { ApprovalAnswer, Approvals, PendingApproval, RunRecord } from '../sdk/index.ts'
import { createSnapshots } from './snapshots.ts'

/** A pending approval; on a control plane, `phone` names the phone that it comes from. */
export type PhoneApproval = PendingApproval & { phone?: string }

/** How an approval ended, on this page or elsewhere. */
type ApprovalEnding = Pick<ApprovalAnswer, 'outcome' | 'by' | 'how' | 'at' | 'scope'>

/** An approval as the page shows it. It keeps its position in the list and stays visible for a while after it was decided. */
export interface CardState {
  approval: PhoneApproval
  ending: ApprovalEnding | null
}

/** Maximum number of decided approvals that stay visible. */
const MAX_ENDED = 20

type ListedApprovals = Pick<Approvals, 'approvals'> & { silent?: string[] }

/** Approvals in the order in which they arrived, so that a new one never moves another. */
export function createApprovalCards() {
  const cards = signal<CardState[]>([])
  const pending = computed(() => cards.value.filter(({ ending }) => ending === null))
  const snapshots = createSnapshots()
  const indexOf = (id: string): number => cards.value.findIndex(({ approval }) => approval.id === id)
  const show = (approval: PhoneApproval): void => {
    if (indexOf(approval.id) < 0) cards.value = [...cards.value, { approval, ending: null }]
  }
  const close = (id: string, ending: ApprovalEnding): void => {
    const changed = cards.value.map((card) => (card.approval.id === id ? { ...card, ending } : card))
    const tooMany = changed.filter((card) => card.ending).length - MAX_ENDED
    cards.value = tooMany > 0 ? changed.filter((card, index) => !card.ending || index >= tooMany) : changed
  }
  return {
    cards,
    pending,
    /** Handles an event: the approval is pending, whatever the page knew about it before. */
    requested(approval: PhoneApproval): void {
      snapshots.note(approval.id)
      show(approval)
      const index = indexOf(approval.id)
      if (cards.value[index]!.ending) cards.value = cards.value.with(index, { approval, ending: null })
    },
    /** Handles an event: the approval was decided. */
    decided(id: string, ending: ApprovalEnding): void {
      snapshots.note(id)
      close(id, ending)
    },
    /**
     * Replaces the pending approvals with a list, except those for which a newer event arrived. `recordOf` supplies the outcome of an
     * approval that is no longer listed. Approvals of phones in `silent`, which did not respond, do not change. Throws what `ask` throws.
     */
    async load(
      ask: () => Promise<ListedApprovals>,
      recordOf: (approval: PhoneApproval) => Promise<RunRecord>,
    ): Promise<void> {
      let gone: PhoneApproval[] = []
      await snapshots.load(ask, (list, changed) => {
        const isStillKnown = ({ id, phone = '' }: PhoneApproval) =>
          changed.has(id) || list.approvals.some((one) => one.id === id) || list.silent?.includes(phone)
        gone = pending.value.map(({ approval }) => approval).filter((approval) => !isStillKnown(approval))
        list.approvals.filter(({ id }) => !changed.has(id)).forEach(show)
      })
      for (const approval of gone) {
        const ending = endingIn(await recordOf(approval).catch(() => null))
        if (ending && pending.value.some((card) => card.approval.id === approval.id)) close(approval.id, ending)
      }
    },
    /** Stops showing the decided approvals. */
    removeEnded(): void {
      if (cards.value.length > pending.value.length) cards.value = pending.value
    },
    clear(): void {
      snapshots.discard()
      cards.value = []
    },
  }
}

/** How the approval of a run ended; null if it is still pending or the record is missing, in which case the next list decides. */
function endingIn(run: RunRecord | null): ApprovalEnding | null {
  if (run?.approval) return run.approval
  return run?.ended_at ? { outcome: 'withdrawn', by: null, how: null, at: run.ended_at, scope: null } : null
}
