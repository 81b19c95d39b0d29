/**
 * The states of a connection to the service, over as many WebSockets as it takes:
 *
 *     connecting   a WebSocket is being opened, or the next attempt is waited for
 *     greeting     it is open, and the greeting is sent; nothing has come yet
 *     live         something has come over it: what comes is handed to the talk
 *     draining     the talk has enough: its WebSocket is paused, or there is none
 *     renewing     the talk still has enough, and a WebSocket is being opened that replaces the paused one
 *     renewed      that one is open, and the greeting is sent; nothing has come yet
 *     ended        the talk is over
 */
export type LinkState = 'connecting' | 'greeting' | 'live' | 'draining' | 'renewing' | 'renewed' | 'ended'

/**
 * What happens to it. `opened`, `message` and `broken` come from the newest WebSocket, `full`, `room` and `close` from the talk; `due`: it is
 * time for the next attempt; `beat`: 15 s are over; `gone`: there is no WebSocket to read on from.
 */
export type LinkEvent = 'opened' | 'message' | 'broken' | 'full' | 'room' | 'close' | 'due' | 'beat' | 'gone'

/** What is done then: methods of Link. */
export type LinkAct =
  | 'open'
  | 'greet'
  | 'tell'
  | 'hold'
  | 'retry'
  | 'pause'
  | 'drop'
  | 'release'
  | 'readOn'
  | 'probe'
  | 'replace'
  | 'stop'

type Row = Partial<Record<LinkEvent, readonly [next: LinkState, ...acts: LinkAct[]]>>

/** By state and event: the next state, and what is done in it. What is not in a row changes nothing. */
export const linkStates: Readonly<Record<LinkState, Row>> = {
  connecting: {
    opened: ['greeting', 'greet'],
    broken: ['connecting', 'retry'],
    due: ['connecting', 'open'],
    beat: ['connecting', 'probe'],
    full: ['draining', 'drop'],
    close: ['ended', 'stop'],
  },
  greeting: {
    message: ['live', 'tell'],
    broken: ['connecting', 'retry'],
    beat: ['greeting', 'probe'],
    full: ['draining', 'pause'],
    close: ['ended', 'stop'],
  },
  live: {
    message: ['live', 'tell'],
    broken: ['connecting', 'retry'],
    gone: ['connecting', 'open'],
    beat: ['live', 'probe'],
    full: ['draining', 'pause'],
    close: ['ended', 'stop'],
  },
  draining: {
    message: ['draining', 'hold'],
    broken: ['draining', 'drop'],
    beat: ['renewing', 'replace', 'open'],
    room: ['live', 'release', 'readOn'],
    close: ['ended', 'stop'],
  },
  renewing: {
    opened: ['renewed', 'greet'],
    broken: ['renewing', 'retry'],
    due: ['renewing', 'open'],
    beat: ['renewing', 'probe'],
    room: ['connecting', 'open'],
    close: ['ended', 'stop'],
  },
  renewed: {
    message: ['draining', 'hold', 'pause'],
    broken: ['renewing', 'retry'],
    beat: ['renewed', 'probe'],
    room: ['greeting'],
    close: ['ended', 'stop'],
  },
  ended: {},
}
