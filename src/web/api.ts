import type { RunPhone } from '../sdk/index.ts'

/** A route that the client has no verb for, and its answer. */
export const get =
  <Answer>(path: string) =>
  async (phone: RunPhone): Promise<Answer> =>
    (await phone.request(path)).json() as Promise<Answer>

/** The same with a body. */
export const send =
  <Answer>(method: 'POST' | 'DELETE', path: string, body?: object) =>
  async (phone: RunPhone): Promise<Answer> => {
    const answer = await phone.request(path, { method, body })
    return (answer.status === 204 ? null : await answer.json()) as Answer
  }
