/** Returns a setting's name in the environment: `SHELLPHONE_MAX_RUNNING`. */
export const environmentName = (name: string) => `SHELLPHONE_${name.toUpperCase().replace(/[.-]/g, '_')}`

/** Returns a setting's name as a flag: `max-running`. */
export const flagName = (name: string) => name.replace(/[._]/g, '-')
