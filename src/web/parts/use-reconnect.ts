import { useEffect } from 'preact/hooks'
import { connection } from '../wire.ts'

/** Calls `retry` each time the connection is back, for what failed without it. */
export function useReconnect(retry: () => void): void {
  const isConnected = connection.value.state === 'connected'
  useEffect(() => {
    if (isConnected) retry()
  }, [isConnected])
}
