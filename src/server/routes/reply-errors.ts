import { forbidden } from '../../http/index.ts'

/** What an error means in several operations, for `errorResponses`. */
export const NO_RUN = { 404: 'no run that this token can read has this id' }
export const EXPIRED = { 410: 'the output was deleted, or is beyond the part that was stored' }
export const NOT_YOURS = forbidden('only the token that started the run, or a person, may do this')
export const PEOPLE_ONLY = forbidden('only a person may do this, with the owner’s token or one with approves: all')
export const MORE_RIGHTS = forbidden('only a person may do this, and only with rights that this token has itself')
export const NO_TOKEN = { 404: 'no token has this name' }
export const NO_DIALECT = { 404: 'there is no dialect with this name' }
