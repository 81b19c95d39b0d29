/** The response header with the key from the service's home that only our own command line can read; its answers are recorded as `cli`. */
export const CLI_KEY_HEADER = 'shellphone-cli-key'
