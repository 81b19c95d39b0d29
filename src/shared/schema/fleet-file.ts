/** Its name in $SHELLPHONE_HOME. */
export const FLEET_FILE = 'fleet.json'
