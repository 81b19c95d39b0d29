/** Which header of an answer carries the key that our own command line reads in the home; the record says `cli` then. */
export const CLI_KEY_HEADER = 'shellphone-cli-key'
