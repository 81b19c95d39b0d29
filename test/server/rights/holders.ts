import type { Token, TokenInput } from '../../../src/shared/schema/index.ts'

export type Rights = Pick<Token, 'approves' | 'read' | 'shell' | 'files'>

/** Every right and preset, one at a time; everything else has its default. The last three hold no token that is valid here and now. */
export const holders = {
  owner: {},
  usual: {},
  'approves own': { approves: 'own' },
  'approves all': { approves: 'all' },
  'read all': { read: 'all' },
  'read all, approves all': { read: 'all', approves: 'all' },
  shell: { shell: true },
  'files none': { files: 'none' },
  'files read': { files: 'read' },
  'instant answers': { instant_answers: true },
  open: { policy: 'open' },
  guarded: { policy: 'guarded' },
  supervised: { policy: 'supervised' },
  strict: { policy: 'strict' },
  dialect: { dialect: 'nullclaw' },
  elsewhere: { addresses: ['192.0.2.0/24'] },
  expired: { expires_in_days: 1e-9 },
  nobody: {},
} satisfies Record<string, Omit<TokenInput, 'name'>>
export type Holder = keyof typeof holders

export const all = Object.keys(holders) as Holder[]
/** They always get 401. */
export const strangers: Holder[] = ['elsewhere', 'expired', 'nobody']

export const rightsOf = (holder: Holder): Rights => {
  const usual = { approves: 'none', read: 'own', shell: false, files: 'write' } as const
  if (holder === 'owner') return { approves: 'all', read: 'all', shell: true, files: 'write' }
  return { ...usual, ...holders[holder] }
}

/** The owner of the requested object. */
export const whose = ['own', "another's", "the owner's"] as const
export type Whose = (typeof whose)[number]

/** What a holder gets: the row's own success, a status, `hidden` (the object is not in the list) or `asks` (needs approval first). */
export type Rule = (rights: Rights, whose: Whose, holder: Holder) => 'ok' | 'hidden' | 'asks' | number

export const anyone: Rule = () => 'ok'
export const person: Rule = ({ approves }) => (approves === 'all' ? 'ok' : 403)
/** Holders of `read: all` see the object; for others, an object of another token does not exist. */
export const reader: Rule = ({ read }, of) => (of === 'own' || read === 'all' ? 'ok' : 404)
export const listsRuns: Rule = ({ read }, of) => (of === 'own' || read === 'all' ? 'ok' : 'hidden')
/** Holders of `read: all` may list the objects of all tokens. */
export const listsAll: Rule = ({ read }) => (read === 'all' ? 'ok' : 403)
export const listsApprovals: Rule = ({ approves }, of) => (of === 'own' || approves === 'all' ? 'ok' : 'hidden')
export const listsRules: Rule = ({ approves }) => (approves === 'all' ? 'ok' : 'hidden')
/** Who may send stdin and signals to a run: the token that started it, and people. */
export const hand: Rule = (rights, of) => {
  if (of === 'own') return 'ok'
  return rights.read !== 'all' ? 404 : rights.approves === 'all' ? 'ok' : 403
}
/** The object exists only for the token that created it. */
export const maker: Rule = (_rights, of) => (of === 'own' ? 'ok' : 404)
/** Each token has its own namespace of keys: another token's key starts a new run. */
export const keyHolder: Rule = (_rights, of) => (of === 'own' ? 'ok' : 'hidden')
/** People create tokens; the owner's token has no entry. */
export const tokenMaker: Rule = ({ approves }, of, holder) => {
  if (approves !== 'all') return 403
  return of === "the owner's" || holder === 'owner' ? (of === "another's" ? 'ok' : 404) : 'ok'
}
/** Only the owner may rotate the owner's token, unless SHELLPHONE_TOKEN set it at startup. */
export const tokenRotator: Rule = (rights, of, holder) => {
  if (rights.approves !== 'all') return 403
  if (holder === 'owner' && of !== "another's") return 409
  return of === "the owner's" ? 403 : tokenMaker(rights, of, holder)
}
/** `strict` denies access outside the workspace. */
export const readsFiles: Rule = ({ files }, _of, holder) => (files === 'none' || holder === 'strict' ? 403 : 'ok')
export const writesFiles: Rule = ({ files }, _of, holder) => {
  if (files !== 'write' || holder === 'strict') return 403
  return holder === 'supervised' ? 'asks' : 'ok'
}
export const uploads: Rule = ({ files }, of) => (files !== 'write' ? 403 : of === 'own' ? 'ok' : 'hidden')
export const opensTerminals: Rule = ({ shell }) => (shell ? 'ok' : 403)
