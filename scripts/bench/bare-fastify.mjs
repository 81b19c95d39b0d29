/** The baseline of drill-price.ts: a Fastify server with one route and a log, which reports its address as the service does. */
import Fastify from 'fastify'

const app = Fastify({ logger: true })
app.get('/health', async () => ({ status: 'ok' }))
const address = await app.listen({ host: '127.0.0.1', port: 0 })
console.log(JSON.stringify({ msg: 'listening', address }))
