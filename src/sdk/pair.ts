import { askJson } from './requests.ts'
import type { NewToken } from './types.ts'

/** Where to pair, the code that `shellphone pair` told, and what this side is to be called. */
export interface PairOptions {
  url: string
  code: string
  name: string
  /** the platform's, unless another is given */
  fetch?: typeof fetch
}

/** Trades a pairing code for a token, once. Throws PhoneError: unauthorized for a code that does not hold, conflict where the name is taken. */
export const pair = ({ url, code, name, ...options }: PairOptions): Promise<NewToken> =>
  askJson({ url, token: null, fetch: options.fetch ?? fetch }, '/pair', { method: 'POST', body: { code, name } })
