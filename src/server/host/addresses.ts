import os from 'node:os'
import type { ToolEnd } from '../../shared/schema/index.ts'

/** Returns whether an interface is Wi-Fi, Ethernet or a hotspot, over which nearby machines can connect. Mobile data is not. */
const isLocal = (name: string) => /^(wlan|eth|en|ap|swlan)/.test(name)

/**
 * Returns this machine's IPv4 addresses except loopback, those that other machines most likely reach first. If Android hides the interfaces
 * (tolerateHiddenInterfaces then shows only loopback), the addresses come from ifconfig or Termux:API. `run` runs a program from PATH within
 * a time limit.
 */
export async function findAddresses(run: (argv: string[]) => Promise<ToolEnd>): Promise<string[]> {
  const seen = Object.entries(os.networkInterfaces()).flatMap(([name, list = []]): [string, string][] =>
    list.filter((one) => one.family === 'IPv4' && !one.internal).map((one) => [name, one.address]),
  )
  if (seen.length > 0) return nearestFirst(seen)
  const listed = fromIfconfig((await run(['ifconfig'])).stdout)
  if (listed.length > 0) return nearestFirst(listed)
  const { stdout } = await run(['termux-wifi-connectioninfo'])
  return [...stdout.matchAll(/"ip": *"([0-9.]+)"/g)].map(([, address]) => address!)
}

const nearestFirst = (all: [name: string, address: string][]) =>
  all.toSorted(([a], [b]) => Number(isLocal(b)) - Number(isLocal(a))).map(([, address]) => address)

function fromIfconfig(text: string): [string, string][] {
  let name = ''
  return text.split('\n').flatMap((line): [string, string][] => {
    name = /^[a-z]\S*/.exec(line)?.[0] ?? name
    const address = /^\s+inet (?:addr:)?([0-9.]+)/.exec(line)?.[1]
    return address === undefined || address.startsWith('127.') ? [] : [[name, address]]
  })
}
