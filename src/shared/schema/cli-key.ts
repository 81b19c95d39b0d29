/** The response header with the key that our own command line reads in the home; the record then says `cli`. */
export const CLI_KEY_HEADER = 'shellphone-cli-key'
