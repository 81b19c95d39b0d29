import { access } from '../access.ts'
import { get } from '../api.ts'
import { PhoneError, type RunPhone } from '../../sdk/index.ts'

/** What belongs to the token of this browser and, if that may read all runs, to other tokens. `others` null: it may not. */
interface OfTokens<Row> {
  own: Row[]
  others: Row[] | null
}

/** The label of a card. An object of another token can have the same name, so its label names the token. */
export const labelOf = ({ name, token }: { name: string; token: string }, isOwn: boolean): string =>
  isOwn ? name : `${name} (${token})`

/** A token that may not list what belongs to others, so that the page does not ask again. */
let limited: string | undefined

/** Lists the sessions or the webhooks. Throws PhoneError. */
export const listOfTokens =
  <Row extends { name: string; token: string }>(kind: 'sessions' | 'webhooks') =>
  async (phone: RunPhone): Promise<OfTokens<Row>> => {
    const list = async (query: string) => (await get<Record<string, Row[]>>(`/${kind}${query}`)(phone))[kind]!
    const token = access.value?.token
    const own = await list('')
    if (limited === token) return { own, others: null }
    try {
      const all = await list('?all=true')
      return { own, others: all.filter((row) => !own.some((one) => one.name === row.name && one.token === row.token)) }
    } catch (error) {
      if (!(error instanceof PhoneError && error.type === 'forbidden')) throw error
      limited = token
      return { own, others: null }
    }
  }
