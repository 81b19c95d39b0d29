/**
 * The states of a connection to the service, which can span any number of WebSockets:
 *
 *     connecting   a WebSocket is being opened, or the next attempt is scheduled
 *     greeting     the WebSocket is open and the greeting is sent; no message has arrived yet
 *     live         messages arrive and are delivered to the session
 *     draining     the session's buffer is full: the WebSocket is paused or closed
 *     renewing     the buffer is still full, and a WebSocket is being opened to replace the paused one
 *     renewed      the replacement is open and the greeting is sent; no message has arrived yet
 *     ended        the session has ended
 */
export type LinkState = 'connecting' | 'greeting' | 'live' | 'draining' | 'renewing' | 'renewed' | 'ended'

/**
 * The newest WebSocket sends `opened`, `message` and `broken`; the session sends `full`, `drained` and `close`. `due`: the retry timer fired;
 * `heartbeat`: 15 s have passed; `gone`: there is no WebSocket to resume reading from.
 */
export type LinkEvent = 'opened' | 'message' | 'broken' | 'full' | 'drained' | 'close' | 'due' | 'heartbeat' | 'gone'

/** The methods of SocketLink that a transition calls. */
export type LinkAct =
  | 'open'
  | 'greet'
  | 'deliver'
  | 'hold'
  | 'retry'
  | 'pause'
  | 'drop'
  | 'release'
  | 'readOn'
  | 'probe'
  | 'replace'
  | 'stop'

type Transitions = Partial<Record<LinkEvent, readonly [next: LinkState, ...acts: LinkAct[]]>>

/** For each state and event, the next state and its actions. Events that are not listed change nothing. */
export const linkStates: Readonly<Record<LinkState, Transitions>> = {
  connecting: {
    opened: ['greeting', 'greet'],
    broken: ['connecting', 'retry'],
    due: ['connecting', 'open'],
    heartbeat: ['connecting', 'probe'],
    full: ['draining', 'drop'],
    close: ['ended', 'stop'],
  },
  greeting: {
    message: ['live', 'deliver'],
    broken: ['connecting', 'retry'],
    heartbeat: ['greeting', 'probe'],
    full: ['draining', 'pause'],
    close: ['ended', 'stop'],
  },
  live: {
    message: ['live', 'deliver'],
    broken: ['connecting', 'retry'],
    gone: ['connecting', 'open'],
    heartbeat: ['live', 'probe'],
    full: ['draining', 'pause'],
    close: ['ended', 'stop'],
  },
  draining: {
    message: ['draining', 'hold'],
    broken: ['draining', 'drop'],
    heartbeat: ['renewing', 'replace', 'open'],
    drained: ['live', 'release', 'readOn'],
    close: ['ended', 'stop'],
  },
  renewing: {
    opened: ['renewed', 'greet'],
    broken: ['renewing', 'retry'],
    due: ['renewing', 'open'],
    heartbeat: ['renewing', 'probe'],
    drained: ['connecting', 'open'],
    close: ['ended', 'stop'],
  },
  renewed: {
    message: ['draining', 'hold', 'pause'],
    broken: ['renewing', 'retry'],
    heartbeat: ['renewed', 'probe'],
    drained: ['greeting'],
    close: ['ended', 'stop'],
  },
  ended: {},
}
