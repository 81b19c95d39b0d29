/** What a version of nats-server can, and what is wrong with it. */
export interface BrokerVersion {
  text: string
  /** acknowledged is on the disk, not two minutes later */
  syncsAlways: boolean
  /** TLS before the first word, as on port 443 */
  speaksTlsFirst: boolean
  /** its WebSocket may be open to strangers */
  mayWebSocket: boolean
  /** what its owner should know; empty: nothing */
  warnings: string[]
}

const RECOMMENDED = '2.12.7'
const NO_WEBSOCKET_BELOW = '2.12.5'
const FLOOR = '2.9.4'

/** 2.9.10 of `nats-server: v2.9.10`; null: no version. */
export const versionIn = (text: string): string | null => /\bv?(\d+\.\d+\.\d+)/.exec(text)?.[1] ?? null

const numbers = (version: string) => version.split('.').map(Number)

/** By number, not by letter. */
function isBelow(version: string, other: string): boolean {
  const [a, b] = [numbers(version), numbers(other)]
  const at = a.findIndex((number, index) => number !== b[index])
  return at >= 0 && a[at]! < b[at]!
}

/** By what was tried on 2.9.10, 2.10.27 and 2.15.1, and by the advisories of the project. `isOneOfThree`: it knows others. */
export function brokerVersion(text: string, isOneOfThree = false): BrokerVersion {
  const mayWebSocket = !isBelow(text, NO_WEBSOCKET_BELOW)
  const syncsAlways = !isBelow(text, '2.10.0')
  const said: [is: boolean, warning: string][] = [
    [isBelow(text, FLOOR), `nats-server ${text}: expected at least ${FLOOR}`],
    [
      isBelow(text, RECOMMENDED),
      `nats-server ${text} has known holes: ${RECOMMENDED} or later is for strangers' networks`,
    ],
    [
      !mayWebSocket,
      `nats-server ${text}: no WebSocket: below ${NO_WEBSOCKET_BELOW} one frame before the login ends it`,
    ],
    [
      isOneOfThree && isBelow(text, '2.10.0'),
      `nats-server ${text}: one broker, not three: below 2.10 three lost what they had acknowledged when one was killed`,
    ],
    [!syncsAlways, `nats-server ${text} cannot sync each write: a power cut may lose two minutes of jobs`],
  ]
  return {
    text,
    syncsAlways,
    speaksTlsFirst: syncsAlways,
    mayWebSocket,
    warnings: said.flatMap(([is, warning]) => (is ? [warning] : [])),
  }
}
