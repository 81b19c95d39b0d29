import type { ErrorType } from './errors.ts'

/** What each type of error means, and what the client should do. The documents show both. */
export const errorMeanings: Record<ErrorType, { meaning: string; advice: string }> = {
  validation_error: {
    meaning: 'The request is not valid; `field` names the part',
    advice: 'Correct the request as the message says. Do not repeat it unchanged',
  },
  unauthorized: {
    meaning: 'The token, pairing code or nonce is missing, wrong, expired or revoked, or used from another address',
    advice: 'Send a valid token. Get one with `shellphone token create` or `shellphone pair`',
  },
  forbidden_origin: {
    meaning: 'A page of another site sent the request',
    advice: 'Add the `Origin` to `allowed_origins` if you trust that site',
  },
  forbidden_host: {
    meaning: 'The `Host` header is a name that the service does not know',
    advice: 'Use the IP address, or add the name to `allowed_hosts`',
  },
  forbidden: {
    meaning: 'The token lacks the right, or the call is for people only',
    advice: 'Use a token with the right. Do not repeat it with the same token',
  },
  tls_required: {
    meaning: 'Plain HTTP from another machine, but this port requires HTTPS',
    advice: 'Use `https://`, with the key that `shellphone pair` pins',
  },
  not_found: {
    meaning: 'No such route, run, file, token or dialect, or this token may not see it',
    advice: 'Check the path and the id. `GET /docs` lists the routes',
  },
  method_not_allowed: {
    meaning: 'The path exists, with other methods',
    advice: 'Use a method that the header `Allow` lists',
  },
  conflict: {
    meaning: 'The request contradicts the current state, such as a used name or key, an ended run or a closed stdin',
    advice: 'Read the state first. Use another name or key for another command',
  },
  wrong_home: {
    meaning: 'Fleet: the phone was wiped or copied since the request was made',
    advice: 'Read the phone again from the control plane, then decide whether to send the command',
  },
  phone_conflict: {
    meaning: 'Fleet: two devices use the identity of one phone',
    advice: 'Revoke the phone, and let each device join on its own',
  },
  expired: {
    meaning: 'The run was known, but its record or output has been deleted',
    advice: 'Do not wait for it. Run the command again with a new key if that is safe',
  },
  precondition_failed: {
    meaning: 'The file has changed: `If-Match` or `If-None-Match` did not hold',
    advice: 'Read the file again, apply the change, and send it with the new `ETag`',
  },
  too_large: {
    meaning: 'The body, message or command exceeds its limit, which the message names',
    advice: 'Send less, or send a file with `PUT /files`, which has no such limit',
  },
  unsupported_media_type: {
    meaning: 'The route does not accept this `Content-Type`',
    advice: 'Send `application/json` (`curl --json`)',
  },
  out_of_range: {
    meaning: 'An offset or range lies beyond the end of the data',
    advice: 'Ask for the current size, and continue from there',
  },
  rate_limited: {
    meaning: 'Too many wrong tokens from this address, or too much work on one connection',
    advice: 'Wait as many seconds as `Retry-After` says; on a connection, until a run has ended',
  },
  execution_error: {
    meaning: 'The service failed: the shell did not start, or an internal error',
    advice: 'Read the message and the log; `shellphone doctor` finds the usual causes',
  },
  pool_full: {
    meaning: 'All slots and the queue are full, or the service is stopping; nothing was run',
    advice: 'Repeat the request after as many seconds as `Retry-After` says',
  },
  restart_needed: {
    meaning: 'The program on disk has been replaced by an upgrade',
    advice: 'Restart the service, then repeat the request',
  },
  sandbox_unavailable: {
    meaning: 'This system cannot enforce the requested sandbox; nothing was run',
    advice: 'Ask for a sandbox that `GET /health` lists, or for `none`',
  },
  terminal_unavailable: {
    meaning: 'This system cannot open a terminal',
    advice: 'Run the command without `tty`; `GET /health` says why',
  },
  phone_garbled: {
    meaning: 'Fleet: the phone sent a malformed response',
    advice: 'Upgrade the phone and the control plane to the same version',
  },
  broker_unavailable: {
    meaning: 'Fleet: the control plane has no connection to its broker',
    advice: 'Repeat the request later; check the NATS server',
  },
  phone_offline: {
    meaning: 'Fleet: the phone is not connected; nothing was sent',
    advice: 'Repeat the request after as many seconds as `Retry-After` says, or create a job, which waits',
  },
  phone_silent: {
    meaning: 'Fleet: the phone stopped responding, and the command may have run',
    advice: 'Repeat the request with the same `Idempotency-Key`; it does not run twice',
  },
  insufficient_storage: {
    meaning: 'The disk is full; the previous file remains unchanged',
    advice: 'Free space on the device, then repeat the request',
  },
}
