/** The terminals that the user opened on this page, until they have started. */
const opened = new Set<string>()

export const noteOpened = (id: string): void => void opened.add(id)

/** Whether the user opened this terminal on this page and its approval was not given yet: the click on Open is the approval, once. */
export const takeOpened = (id: string): boolean => opened.delete(id)
