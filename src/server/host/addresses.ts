import os from 'node:os'
import type { ToolEnd } from '../../shared/schema/index.ts'

/** Wi-Fi, cable and hotspot, which other machines of the place are on; mobile data comes after them. */
const isNear = (name: string) => /^(wlan|eth|en|ap|swlan)/.test(name)

/**
 * Own IPv4 addresses beyond loopback, the likeliest to be reached first. Where Android hides the interfaces (tolerateHiddenInterfaces
 * shows loopback alone then), by ifconfig, or by Termux:API. `run`: runs a program of PATH, bounded.
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
  all.toSorted(([a], [b]) => Number(isNear(b)) - Number(isNear(a))).map(([, address]) => address)

function fromIfconfig(text: string): [string, string][] {
  let name = ''
  return text.split('\n').flatMap((line): [string, string][] => {
    name = /^[a-z]\S*/.exec(line)?.[0] ?? name
    const address = /^\s+inet (?:addr:)?([0-9.]+)/.exec(line)?.[1]
    return address === undefined || address.startsWith('127.') ? [] : [[name, address]]
  })
}
