import { Type } from '@sinclair/typebox'

/** A channel that nobody asks about for so long is closed. */
export const FLEET_CHANNEL_IDLE_MS = 60_000
/** A pull of a channel takes so long, at most: by the next one the phone sees that its asker is there. */
export const FLEET_PULL_MS = 20_000
/** A message of a WebSocket, either way. */
export const FLEET_MAX_MESSAGE_BYTES = 16_777_216

/**
 * What is kept open between calls, because it is longer than one: a request with a long body, an answer that cannot be had again from any
 * byte, a WebSocket (GET /ws; messages as `packMessage` has them). Each call names method and path as the first did.
 */
export const Channel = Type.Object(
  {
    id: Type.String({ maxLength: 64, description: "'' opens a channel; a part of the response names its id" }),
    act: Type.Union(
      ['pull', 'feed', 'end', 'close'].map((act) => Type.Literal(act as 'pull' | 'feed' | 'end' | 'close')),
      {
        description:
          'pull: what has come, within window and wait. feed: the payload goes in; eof says that there is room for more, more that an empty feed is to ask again. end: likewise, and nothing comes behind it',
      },
    ),
    offset: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Offset in bytes; bytes that were already fed are skipped' }),
    ),
  },
  { additionalProperties: false },
)
