// Runs commands over one WebSocket. Usage: URL=http://127.0.0.1:8029 TOKEN=… node websocket.mjs (Node 22 and newer)
if (typeof WebSocket === 'undefined') {
  console.error('websocket.mjs: this Node has no WebSocket; use Node 22 or newer, or client.mjs, which brings its own')
  process.exit(1)
}
const { URL: url, TOKEN: token } = process.env
const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`)
const send = (message) => socket.send(JSON.stringify(message))

socket.onopen = () => {
  send({ type: 'auth', token })
  send({ type: 'exec', ref: 'own', command: 'echo hello from a WebSocket' })
  send({ type: 'exec', ref: 'tool', dialect: 'agent-world', arguments: { command: 'echo', parameters: ['hello', 'tool'] } })
}
let running = 2
socket.onmessage = ({ data }) => {
  const { type, ref, ...message } = JSON.parse(data)
  if (type === 'output' || type === 'tool-stream') console.log(ref, type, message.data.trim())
  if (type === 'status') console.log(ref, message.status)
  if (type === 'error') console.log(ref, message.error.message)
  if (type === 'result') console.log(ref, 'result', message.is_error ?? message.exit_code)
  if ((type === 'result' || type === 'error') && --running === 0) socket.close()
}
socket.onerror = ({ message }) => {
  console.error(message)
  process.exitCode = 1
}
