/** A Fastify with one route and its log, that says where it listens as the service does: what drill-price.ts compares with. */
import Fastify from 'fastify'

const app = Fastify({ logger: true })
app.get('/health', async () => ({ status: 'ok' }))
const address = await app.listen({ host: '127.0.0.1', port: 0 })
console.log(JSON.stringify({ msg: 'listening', address }))
