import type { Server } from 'node:http'

export function recordServer(server: Server, isPlane: boolean): void
