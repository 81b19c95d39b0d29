/** The name of the fleet file in $SHELLPHONE_HOME. */
export const FLEET_FILE = 'fleet.json'
