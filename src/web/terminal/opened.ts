import { signal } from '@preact/signals'

/** The terminals that the user opened on this page, until they have started. */
const opened = new Set<string>()

export const noteOpened = (id: string): void => void opened.add(id)

/** Whether the user opened this terminal on this page and its approval was not given yet: the click on Open is the approval, once. */
export const takeOpened = (id: string): boolean => opened.delete(id)

/** The last title of each terminal that this page has shown, by id. */
export const titles = signal<ReadonlyMap<string, string>>(new Map())

export const noteTitle = (id: string, title: string): void => void (titles.value = new Map(titles.value).set(id, title))
