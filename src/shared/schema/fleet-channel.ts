import { Type } from '@sinclair/typebox'

/** A channel that receives no calls for this long is closed. */
export const FLEET_CHANNEL_IDLE_MS = 60_000
/** The maximum wait of one pull. The next pull shows the phone that the caller is still connected. */
export const FLEET_PULL_MS = 20_000
/** The maximum size of a WebSocket message in either direction. */
export const FLEET_MAX_MESSAGE_BYTES = 16_777_216

/**
 * An exchange that takes more than one call: a request with a long body, a response that cannot resume at a given byte, or a WebSocket
 * (GET /ws; messages in the format of `packMessage`). Each call names the same method and path as the first.
 */
export const Channel = Type.Object(
  {
    id: Type.String({ maxLength: 64, description: "'' opens a channel; the response names the id of the new channel" }),
    act: Type.Union(
      ['pull', 'feed', 'end', 'close'].map((act) => Type.Literal(act as 'pull' | 'feed' | 'end' | 'close')),
      {
        description:
          'pull: reads the available data, within window and wait. feed: sends the payload; the response ends with eof if there is room for more, or with more if the caller should retry with an empty feed. end: sends the last bytes. close: closes the channel',
      },
    ),
    offset: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Offset in bytes; bytes that the channel already has are skipped' }),
    ),
  },
  { additionalProperties: false },
)
