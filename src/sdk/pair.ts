import { askJson } from './requests.ts'
import type { NewToken } from './types.ts'

/** The service's address, the code that `shellphone pair` printed, and a name for this client. */
export interface PairOptions {
  url: string
  code: string
  name: string
  /** (default: the platform's) */
  fetch?: typeof fetch
}

/** Exchanges a pairing code for a token. A code works once. Throws PhoneError: `unauthorized` for an invalid code, `conflict` if the name is in use. */
export const pair = ({ url, code, name, ...options }: PairOptions): Promise<NewToken> =>
  askJson({ url, token: null, fetch: options.fetch ?? fetch }, '/pair', { method: 'POST', body: { code, name } })
