/** The names of sessions, webhooks and tokens: also file names and parts of paths. The backslash is for the page's input fields, whose patterns need it. */
// oxlint-disable-next-line no-useless-escape
export const NAME = /^[A-Za-z0-9][A-Za-z0-9._\-]{0,63}$/
/** The name of a phone or a caller in a fleet: a single token of a NATS subject, so that no name matches the subjects of another. */
export const FLEET_NAME = /^[a-z0-9][a-z0-9-]{0,39}$/

/** The name of the fleet file in $SHELLPHONE_HOME. It is here, because the command line loads this file without the schemas. */
export const FLEET_FILE = 'fleet.json'

const meanings = new Map([
  [NAME.source, "a name of 1 to 64 letters, digits, '.', '_' and '-' that starts with a letter or a digit"],
  [FLEET_NAME.source, "a name of 1 to 40 lower-case letters, digits and '-' that starts with a letter or a digit"],
])

/** Says what a pattern of names stands for; undefined: the pattern is not for names. */
export const nameMeaning = (pattern: string | undefined): string | undefined => meanings.get(pattern ?? '')
