import { Type } from '@sinclair/typebox'

/** A channel without calls for this long is closed. */
export const FLEET_CHANNEL_IDLE_MS = 60_000
/** The maximum wait of one pull: the next one shows the phone that the caller is still there. */
export const FLEET_PULL_MS = 20_000
/** The maximum size of a WebSocket message in either direction. */
export const FLEET_MAX_MESSAGE_BYTES = 16_777_216

/**
 * What lasts longer than one call: a request with a long body, a response that cannot be requested again from a given
 * byte, a WebSocket (GET /ws; messages in the format of `packMessage`). Each call names the same method and path as the first.
 */
export const Channel = Type.Object(
  {
    id: Type.String({ maxLength: 64, description: "'' opens a channel; a part of the response names its id" }),
    act: Type.Union(
      ['pull', 'feed', 'end', 'close'].map((act) => Type.Literal(act as 'pull' | 'feed' | 'end' | 'close')),
      {
        description:
          'pull: what has come, within window and wait. feed: the payload goes in; eof says that there is room for more, more that an empty feed should ask again. end: the same, for the last bytes',
      },
    ),
    offset: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Offset in bytes; bytes that were already fed are skipped' }),
    ),
  },
  { additionalProperties: false },
)
