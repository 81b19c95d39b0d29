/** The option that names the phone or the fleet in a suggested command line; empty: on this machine. */
export function onOption(options: ReadonlyMap<string, string>): string {
  const name = options.get('on') ?? process.env.SHELLPHONE_REMOTE
  return name === undefined ? '' : ` --on ${name}`
}
