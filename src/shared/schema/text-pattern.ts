/** A pattern that matches this text literally, ignoring case. The service and the page search with it, so that they find the same. */
export const textPattern = (text: string): RegExp => new RegExp(text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'giu')
