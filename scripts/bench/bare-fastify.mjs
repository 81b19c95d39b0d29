/** A Fastify with one route and its log, which reports its address like the service: the baseline of drill-price.ts. */
import Fastify from 'fastify'

const app = Fastify({ logger: true })
app.get('/health', async () => ({ status: 'ok' }))
const address = await app.listen({ host: '127.0.0.1', port: 0 })
console.log(JSON.stringify({ msg: 'listening', address }))
