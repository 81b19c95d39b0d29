import { computed, signal } from '@preact/signals'
import type { Answered, Approvals, Question as OfPhone, RunRecord } from '../sdk/index.ts'

/** `phone`: of a fleet, whose it is. */
export type Question = OfPhone & { phone?: string }

/** How a question ended, by this page or elsewhere. */
export type Ending = Pick<Answered, 'outcome' | 'by' | 'how' | 'at' | 'scope'>

/** A question as the page shows it: it keeps its place, and stays a while when it was answered. */
export interface Card {
  question: Question
  ending: Ending | null
}

/** Answered ones that are still shown. */
const MAX_ENDED = 20

/** Questions in the order in which they came: a new one never moves another. */
export function createQuestions() {
  const cards = signal<Card[]>([])
  const waiting = computed(() => cards.value.filter(({ ending }) => ending === null))
  const asked = (question: Question): void => {
    if (cards.value.some((card) => card.question.id === question.id)) return
    cards.value = [...cards.value, { question, ending: null }]
  }
  const answered = (id: string, ending: Ending): void => {
    const changed = cards.value.map((card) => (card.question.id === id ? { ...card, ending } : card))
    const tooMany = changed.filter((card) => card.ending).length - MAX_ENDED
    cards.value = tooMany > 0 ? changed.filter((card, index) => !card.ending || index >= tooMany) : changed
  }
  return {
    cards,
    waiting,
    asked,
    answered,
    /** These wait, and no others: of one that no longer does, its run says how it ended. Of phones that are silent nothing is known. */
    async are(
      told: Pick<Approvals, 'approvals'> & { silent?: string[] },
      runOf: (question: Question) => Promise<RunRecord>,
    ) {
      const isThere = ({ id, phone = '' }: Question) =>
        told.approvals.some((one) => one.id === id) || told.silent?.includes(phone)
      const before = waiting.value.filter(({ question }) => !isThere(question))
      told.approvals.forEach(asked)
      for (const { question } of before) {
        const run = await runOf(question).catch(() => null)
        if (run === null) continue // it is asked again
        const unknown: Ending = { outcome: 'withdrawn', by: null, how: null, at: run.ended_at ?? '', scope: null }
        answered(question.id, run.approval ?? unknown)
      }
    },
    /** Answered ones are shown no longer. */
    sweep(): void {
      if (cards.value.length > waiting.value.length) cards.value = waiting.value
    },
    forget(): void {
      cards.value = []
    },
  }
}
