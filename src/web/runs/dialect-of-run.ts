/** The dialect that a caller chose. A request without one, from this page or curl, is recorded in the dialect of POST /exec. */
export const dialectOf = ({ dialect }: { dialect?: string | undefined }): string =>
  dialect === 'oneclaw' ? '' : (dialect ?? '')
