import type { RunPhone } from '../sdk/index.ts'

/** Calls a route for which the client has no method; resolves with the JSON body. Throws PhoneError. */
export const get =
  <Body>(path: string) =>
  async (phone: RunPhone): Promise<Body> =>
    (await phone.request(path)).json() as Promise<Body>

/** Like `get`, for POST and DELETE; resolves with null if the response has no body. */
export const send =
  <Body>(method: 'POST' | 'DELETE', path: string, body?: object) =>
  async (phone: RunPhone): Promise<Body> => {
    const response = await phone.request(path, { method, body })
    return (response.status === 204 ? null : await response.json()) as Body
  }
