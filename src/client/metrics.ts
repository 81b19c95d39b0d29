import { connect, type Place } from './connect.ts'

/** `shellphone metrics`: what the service counts, as Prometheus reads it. Throws ClientError. */
export async function metrics(place: Place): Promise<void> {
  process.stdout.write(await connect(place).text('/metrics'))
}
