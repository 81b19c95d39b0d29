/** The strings for saving an answer, which load with the dialog. */
export const alwaysWords = {
  title: 'This will be saved',
  until: 'Until',
  save: 'Save and approve',
} as const
