import { computed, signal } from '@preact/signals'
import type { ApprovalAnswer, Approvals, PendingApproval as OfPhone, RunRecord } from '../sdk/index.ts'
import { createSnapshots } from './snapshots.ts'

/** `phone`: of a fleet, whose it is. */
export type ApprovalCard = OfPhone & { phone?: string }

/** How a question ended, by this page or elsewhere. */
type ApprovalEnding = Pick<ApprovalAnswer, 'outcome' | 'by' | 'how' | 'at' | 'scope'>

/** A question as the page shows it: it keeps its place, and stays a while when it was answered. */
export interface Card {
  question: ApprovalCard
  ending: ApprovalEnding | null
}

/** Answered ones that are still shown. */
const MAX_ENDED = 20

type List = Pick<Approvals, 'approvals'> & { silent?: string[] }

/** Questions in the order in which they came: a new one never moves another. */
export function createQuestions() {
  const cards = signal<Card[]>([])
  const waiting = computed(() => cards.value.filter(({ ending }) => ending === null))
  const snapshots = createSnapshots()
  const placeOf = (id: string): number => cards.value.findIndex(({ question }) => question.id === id)
  const show = (question: ApprovalCard): void => {
    if (placeOf(question.id) < 0) cards.value = [...cards.value, { question, ending: null }]
  }
  const close = (id: string, ending: ApprovalEnding): void => {
    const changed = cards.value.map((card) => (card.question.id === id ? { ...card, ending } : card))
    const tooMany = changed.filter((card) => card.ending).length - MAX_ENDED
    cards.value = tooMany > 0 ? changed.filter((card, index) => !card.ending || index >= tooMany) : changed
  }
  return {
    cards,
    waiting,
    /** An event: it waits for an answer, whatever was known of it. */
    asked(question: ApprovalCard): void {
      snapshots.note(question.id)
      show(question)
      const at = placeOf(question.id)
      if (cards.value[at]!.ending) cards.value = cards.value.with(at, { question, ending: null })
    },
    /** An event: it was answered. */
    answered(id: string, ending: ApprovalEnding): void {
      snapshots.note(id)
      close(id, ending)
    },
    /**
     * These wait and no others, except where an event says something newer. Of one that no longer does, its run says how it ended. Of
     * phones that are silent nothing is known.
     */
    async load(ask: () => Promise<List>, runOf: (question: ApprovalCard) => Promise<RunRecord>): Promise<void> {
      let gone: ApprovalCard[] = []
      await snapshots.load(ask, (list, changed) => {
        const isKnown = ({ id, phone = '' }: ApprovalCard) =>
          changed.has(id) || list.approvals.some((one) => one.id === id) || list.silent?.includes(phone)
        gone = waiting.value.map(({ question }) => question).filter((question) => !isKnown(question))
        list.approvals.filter(({ id }) => !changed.has(id)).forEach(show)
      })
      for (const question of gone) {
        const ending = endingIn(await runOf(question).catch(() => null))
        if (ending && waiting.value.some((card) => card.question.id === question.id)) close(question.id, ending)
      }
    },
    /** Answered ones are shown no longer. */
    sweep(): void {
      if (cards.value.length > waiting.value.length) cards.value = waiting.value
    },
    forget(): void {
      snapshots.forget()
      cards.value = []
    },
  }
}

/** How the question of a run ended; null: it has not, or nobody knows, and the next list tells. */
function endingIn(run: RunRecord | null): ApprovalEnding | null {
  if (run?.approval) return run.approval
  return run?.ended_at ? { outcome: 'withdrawn', by: null, how: null, at: run.ended_at, scope: null } : null
}
