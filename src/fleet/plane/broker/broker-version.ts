/** The capabilities and known problems of a version of nats-server. */
export interface BrokerVersion {
  text: string
  /** it can sync each write before it acknowledges the write; older versions sync every two minutes */
  syncsAlways: boolean
  /** it can use TLS from the first byte, as on port 443 */
  speaksTlsFirst: boolean
  /** its WebSocket is safe on untrusted networks */
  mayWebSocket: boolean

  warnings: string[]
}

export const RECOMMENDED = '2.12.7'
const NO_WEBSOCKET_BELOW = '2.12.5'
const FLOOR = '2.9.4'

/** Extracts `2.9.10` from `nats-server: v2.9.10`; null if the text contains no version. */
export const versionIn = (text: string): string | null => /\bv?(\d+\.\d+\.\d+)/.exec(text)?.[1] ?? null

const numbers = (version: string) => version.split('.').map(Number)

/** Whether a version is lower than another. Compares number by number, so that 2.10 is above 2.9. */
function isBelow(version: string, other: string): boolean {
  const [a, b] = [numbers(version), numbers(other)]
  const at = a.findIndex((number, index) => number !== b[index])
  return at >= 0 && a[at]! < b[at]!
}

/** Describes a version, based on tests with 2.9.10, 2.10.27 and 2.15.1 and on the security advisories of NATS. `isOneOfThree`: the broker is part of a cluster. */
export function brokerVersion(text: string, isOneOfThree = false): BrokerVersion {
  const mayWebSocket = !isBelow(text, NO_WEBSOCKET_BELOW)
  const syncsAlways = !isBelow(text, '2.10.0')
  const warnings: [applies: boolean, warning: string][] = [
    [isBelow(text, FLOOR), `nats-server ${text}: expected at least ${FLOOR}`],
    [
      isBelow(text, RECOMMENDED),
      `nats-server ${text} has known vulnerabilities: use ${RECOMMENDED} or later on untrusted networks`,
    ],
    [
      !mayWebSocket,
      `nats-server ${text}: do not open its WebSocket, because below ${NO_WEBSOCKET_BELOW} one frame before login stops the server`,
    ],
    [
      isOneOfThree && isBelow(text, '2.10.0'),
      `nats-server ${text}: run one broker, not three, because below 2.10 a cluster lost acknowledged data when a broker was killed`,
    ],
    [!syncsAlways, `nats-server ${text} cannot sync each write: a power failure may lose two minutes of jobs`],
  ]
  return {
    text,
    syncsAlways,
    speaksTlsFirst: syncsAlways,
    mayWebSocket,
    warnings: warnings.flatMap(([applies, warning]) => (applies ? [warning] : [])),
  }
}
