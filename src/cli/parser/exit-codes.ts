/** Exit code 2, for the help of a subcommand. The other constants are the same for other codes. */
export const invalid = '2 the command line or a setting is invalid, or names something that does not exist'
export const noAnswer = '3 the service did not respond, or refused'
export const noAnswerOfFleet = '3 the service or the control plane did not respond, or refused'

/** The exit codes of most subcommands that send requests to a service. */
export const usualCodes = `0 done, 1 not done, ${invalid}, ${noAnswer}`
/** The exit codes of all subcommands. */
export const allCodes = `Exit codes: ${usualCodes}; run and shell end with the command's own code, and run with 255 if Shellphone itself failed.`
