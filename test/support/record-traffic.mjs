/**
 * Records the responses and WebSocket messages of services and control planes under test in the folder TEST_TRAFFIC, for
 * scripts/test/check-traffic.mjs. With NODE_OPTIONS=--import, every program of a suite loads this file, and dist/main.js of this checkout
 * records its own servers. Writes one line for each distinct shape of an exchange, and never disturbs the service.
 */
import { appendFileSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = process.env.TEST_TRAFFIC
/** Longer bodies and messages are recorded without their content. */
const MAX_BYTES = 262_144
/** Strings in a recorded body are cut to this length. */
const MAX_CHARACTERS = 200
/** Lines of one operation and status, so that maps with random names cannot fill the disk. */
const MAX_LINES = 300

let templates
/** Reads the paths of the contracts at the first request. */
function pathsOf(document) {
  templates ??= JSON.parse(readFileSync(join(folder, 'paths.json'), 'utf8'), (_key, path) =>
    typeof path !== 'string'
      ? path
      : {
          path,
          pattern: new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^}]+\}/g, '[^/]+')}$`),
        },
  )
  return templates[document]
}

/**
 * The contract of a request and its path there; null: another path. A control plane passes on what follows /phones/NAME, and anything with
 * X-Phone; its other paths are its own. A phone whose name begins with `fake` is a test that answers as no phone would.
 */
function placeOf(url, headers, isPlane) {
  const [path] = url.split('?', 1)
  const passed = isPlane ? /^\/phones\/[^/]+(\/.+)$/.exec(path)?.[1] : path
  const isPassed = passed !== undefined || headers['x-phone'] !== undefined
  const document = isPassed ? 'openapi' : 'plane'
  const wanted = isPassed ? (passed ?? path) : path
  const isFake = isPlane && path.startsWith('/phones/fake') && isPassed
  const found = isFake ? undefined : pathsOf(document).find(({ pattern }) => pattern.test(wanted))
  return { document, path: found?.path ?? null }
}

const seen = new Set()
const lines = new Map()

/** Appends a line unless this process has written one of the same shape. */
function record(kind, facts) {
  const key = `${kind} ${shapeOf(facts)}`
  const count = lines.get(kind) ?? 0
  if (seen.has(key) || count >= MAX_LINES) return
  seen.add(key)
  lines.set(kind, count + 1)
  appendFileSync(join(folder, `${process.pid}.jsonl`), `${JSON.stringify(facts, cut)}\n`)
}

const cut = (_key, value) => (typeof value === 'string' ? value.slice(0, MAX_CHARACTERS) : value)

/** The names and types in a value. A short word counts as a type of its own, because it may be one of a list. */
function shapeOf(value) {
  if (Array.isArray(value)) return `[${[...new Set(value.map(shapeOf))].sort()}]`
  if (value === null || typeof value !== 'object') {
    return typeof value === 'string' && /^[a-z][a-z_]{1,20}$/.test(value)
      ? value
      : value === null
        ? 'null'
        : typeof value
  }
  return `{${Object.keys(value)
    .sort()
    .map((name) => `${name}:${shapeOf(value[name])}`)}}`
}

/** Collects pieces up to MAX_BYTES. */
function collector() {
  const pieces = []
  let bytes = 0
  return {
    take(piece, encoding) {
      if (piece === null || piece === undefined || typeof piece === 'function') return
      bytes += piece.length
      if (bytes <= MAX_BYTES) pieces.push(typeof piece === 'string' ? Buffer.from(piece, encoding) : Buffer.from(piece))
    },
    bytes: () => bytes,
    /** undefined: too long, or not JSON */
    json() {
      if (bytes === 0 || bytes > MAX_BYTES) return undefined
      try {
        return JSON.parse(Buffer.concat(pieces).toString())
      } catch {
        return undefined
      }
    },
    text: () => (bytes > MAX_BYTES ? '' : Buffer.concat(pieces).toString()),
  }
}

function eventsIn(text) {
  const events = []
  for (const block of text.split('\n\n')) {
    const name = /^event: (.*)$/m.exec(block)?.[1]
    const data = /^data: (.*)$/m.exec(block)?.[1]
    try {
      if (data !== undefined) events.push({ name, data: JSON.parse(data) })
    } catch {
      events.push({ name, data: null })
    }
  }
  return events
}

function headerIn(headers, name) {
  if (!headers || typeof headers !== 'object') return undefined
  const found = Object.entries(headers).find(([one]) => one.toLowerCase() === name)
  return found?.[1]
}

function recordExchange(request, response, isPlane) {
  const sent = collector()
  const received = collector()
  const { push } = request
  request.push = function (piece, encoding) {
    received.take(piece, encoding)
    return push.call(this, piece, encoding)
  }
  const { writeHead, write, end } = response
  let type
  response.writeHead = function (status, ...more) {
    type = headerIn(more.at(-1), 'content-type')
    return writeHead.call(this, status, ...more)
  }
  response.write = function (piece, ...more) {
    sent.take(piece, more[0])
    return write.call(this, piece, ...more)
  }
  response.end = function (piece, ...more) {
    sent.take(piece, typeof more[0] === 'string' ? more[0] : undefined)
    const isConnected = request.socket?.destroyed === false
    const ended = end.call(this, piece, ...more)
    if (isConnected)
      quietly(() =>
        finish(request, response, {
          type: type ?? response.getHeader('content-type'),
          sent,
          received,
          isPlane,
        }),
      )
    return ended
  }
}

function finish({ method, url, headers }, { statusCode: status }, { type, sent, received, isPlane }) {
  const media = type === undefined ? null : String(type).split(';', 1)[0].trim()
  const { document, path } = placeOf(url, headers, isPlane)
  const isJson = media === 'application/json'
  const body = isJson ? sent.json() : undefined
  const given = status < 300 && /^application\/json/.test(headers['content-type'] ?? '') ? received.json() : undefined
  const query = status < 300 ? [...new URL(url, 'http://x').searchParams.keys()].sort() : []
  const events = media === 'text/event-stream' ? eventsIn(sent.text()) : [undefined]
  for (const event of events) {
    record(`${document} ${method} ${path} ${status}`, {
      document,
      method,
      path,
      status,
      media,
      empty: sent.bytes() === 0,
      body,
      event,
      given,
      query,
      isPlane,
    })
  }
}

/** Records the text messages in what the service writes to an upgraded connection (RFC 6455, 5.2). */
function recordSocket({ url, headers }, socket, isPlane) {
  if (placeOf(url, headers, isPlane).path !== '/ws') return
  const { write } = socket
  let rest = Buffer.alloc(0)
  let skip = 0
  let isOpen = false
  const take = (piece, encoding) => {
    const bytes = typeof piece === 'string' ? Buffer.from(piece, encoding) : piece
    if (!isOpen) return void (isOpen = bytes.includes('\r\n\r\n'))
    const skipped = Math.min(skip, bytes.length)
    skip -= skipped
    rest = Buffer.concat([rest, bytes.subarray(skipped)])
    for (let frame = frameIn(rest); frame !== null; frame = frameIn(rest)) {
      const { isText, from, to } = frame
      const isShort = isText && to - from <= MAX_BYTES
      if (isShort && rest.length < to) return
      const message = rest.subarray(from, to)
      skip = Math.max(0, to - rest.length)
      rest = rest.subarray(to)
      if (isShort) recordMessage(message)
    }
  }
  socket.write = function (piece, ...more) {
    quietly(() => take(piece, typeof more[0] === 'string' ? more[0] : undefined))
    return write.call(this, piece, ...more)
  }
}

/** The position of the first frame; null: its header is not complete. */
function frameIn(bytes) {
  if (bytes.length < 2) return null
  const short = bytes[1] & 0x7f
  const from = short === 127 ? 10 : short === 126 ? 4 : 2
  if (bytes.length < from) return null
  const length = short === 127 ? Number(bytes.readBigUInt64BE(2)) : short === 126 ? bytes.readUInt16BE(2) : short
  return { isText: (bytes[0] & 0x0f) === 1, from, to: from + length }
}

function recordMessage(bytes) {
  const message = JSON.parse(bytes.toString())
  record(`message ${message.type}`, { message })
}

/** The service must not notice a fault here: a full disk, or a user who may not write to the folder. */
function quietly(work) {
  try {
    work()
  } catch {
    // this exchange is not recorded
  }
}

/** Records everything that a server answers from now on; `isPlane`: it is a control plane. */
export function recordServer(server, isPlane) {
  if (folder === undefined) return
  const { emit } = server
  server.emit = function (event, ...parts) {
    if (event === 'request') quietly(() => recordExchange(...parts, isPlane))
    else if (event === 'upgrade') quietly(() => recordSocket(parts[0], parts[1], isPlane))
    return emit.call(this, event, ...parts)
  }
}

/** Whether this process runs dist/main.js of this checkout. */
function isOurProgram() {
  try {
    const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
    return realpathSync(process.argv[1]) === realpathSync(main)
  } catch {
    return false // another program, or nothing is built
  }
}

if (folder !== undefined && isOurProgram()) {
  delete process.env.NODE_OPTIONS // the commands of the service must not load this file
  const isPlane = process.argv[2] === 'fleet'
  const modules = await Promise.all([import('node:http'), import('node:https')])
  for (const { Server } of modules) recordServer(Server.prototype, isPlane)
}
