/** The name of the fleet file in $SHELLPHONE_HOME; in a file of its own, because the command line loads it without the schemas. */
export const FLEET_FILE = 'fleet.json'
