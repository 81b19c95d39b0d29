/** What an operation does beyond its summary, by its name. Operations whose summary says everything have no row. */
export const descriptions: Record<string, string> = {
  'POST /exec':
    'Waits for the command and returns its record; with "background": true, responds with 202 at once. A command that needs approval holds no slot while it waits. A denied command returns 403 with its record. If the client disconnects, the command is canceled, unless it runs in the background or has an Idempotency-Key. The same key and body return the same run.',
  'DELETE /exec':
    'For a caller that gives up a request with a key: without this call, the run continues until its timeout.',
  'GET /ws':
    'Messages are JSON objects with a type; GET /asyncapi.yaml describes them. The token is in the upgrade request or in the first message, within 5 s.',
  'GET /runs': 'A token sees its own runs, unless it has the right read: all. Records in the list have no output.',
  'GET /runs/{id}':
    'Any route that starts a run returns its id. After a restart of the service, the record of an ended run is still there.',
  'DELETE /runs/{id}': 'Responds before the processes have ended. GET /runs/{id} with wait_seconds waits for the end.',
  'POST /runs/{id}/stdin':
    'The offset in the response is the number of bytes that the command has taken: the offset of the next byte. A piece without an offset follows all bytes received so far. Bytes already received are skipped, so repeat a request after a dropped connection with its offset. If the run waits for approval or for a slot, the request waits with it, and the command gets the piece when it starts.',
  'PUT /runs/{id}/stdin':
    'The body begins at offset=N, which counts all bytes of stdin, or without it at the first byte: after other pieces, set it to the offset in their last response, or in that of GET /runs/{id}/stdin. Bytes already received are skipped, and a gap gets 416. The end of the body closes stdin unless the URL has end=false. If the run waits for approval or for a slot, the request waits with it.',
  'GET /runs/{id}/output':
    'To resume after a dropped connection, set offset (or Range) to the number of bytes that you have. With follow=true the response continues until the run ends; Exit-Code and Run-Status are trailers.',
  'GET /runs/{id}/events':
    'Each event has an id, STDOUT.STDERR: the byte offsets to resume from. A client that sends it as Last-Event-ID misses and repeats nothing.',
  'POST /runs/{id}/signal':
    'The command and everything in its process group get the signal. A run that waits for approval or for a slot has no process yet: 409. To end a run for certain, use DELETE /runs/{id}.',
  'POST /runs/{id}/resize':
    'A terminal starts with the size in "tty", and the record has the newest one. While the run waits for approval or for a slot, the response is 409.',
  'GET /runs/{id}/stdin':
    'After a dropped connection, continue to send from this offset. Only for runs with "stdin": "open".',
  'GET /scratchpads/{name}':
    'The Meka dialect stores a long output under the name in its argument scratchpad. Range, offset and follow work as in GET /runs/{id}/output.',
  'GET /runs/{id}/matches':
    'If complete is false, search again with offset set to next_offset. Read a match with GET /runs/{id}/output?offset=. To sort the matches of both streams, compare arrived.',
  'GET /runs/{id}/position':
    'Follow both streams from there with GET /runs/{id}/events and Last-Event-ID: STDOUT.STDERR. The order of the first 65,536 changes between the streams is recorded.',
  'GET /events':
    'Each event names its run, but has no command and no output: read them with GET /runs/{id}. An event can arrive again after a reconnect.',
  'GET /webhooks':
    'Each token has its own webhooks, at most eight. A token with read: all lists those of all tokens with all=true; each token changes only its own.',
  'GET /webhooks/{name}':
    'deliveries has the last 20 events since the start of the service, each with the status of its last response and the time of its next try.',
  'PUT /webhooks/{name}':
    'The service sends each event as a POST of JSON, signed as Standard Webhooks says, and tries up to seven times within 18 hours. Omitted fields get their defaults, also in an existing webhook. Store the secret: rotate_secret makes a new one.',
  'DELETE /webhooks/{name}': 'Also ends the subscription of an MCP client, whose name begins with sub_.',
  'GET /sessions':
    'A session is the directory and the exported variables that a command passes on to the next one. Each token has its own; a token with read: all lists those of all tokens with all=true.',
  'GET /sessions/{name}':
    'Values of variables are never returned. A session appears with its first command. cwd is where its next command will start; busy says whether a command still runs in it.',
  'DELETE /sessions/{name}': 'The next command with this session starts from the defaults again.',
  'GET /files':
    'Each request is a run: the policy judges and the history records it like the command that does the same, for a file cat, for a directory ls.',
  'PUT /files':
    'The file gets its name when it is complete. With Upload-Key, an interrupted upload can be resumed with Content-Range.',
  'DELETE /files': 'Judged like rm or rmdir. A link itself is deleted, not its target.',
  'POST /files/edit':
    'Every old text must occur exactly once, unless its edit has replace_all. If one edit fails, nothing is changed.',
  'POST /files/patch': 'Accepts unified diffs and *** Begin Patch. Each file is judged and recorded on its own.',
  'POST /files/search':
    'Follows no links, and omits binary files, names that begin with a dot, and what .gitignore excludes. Patterns run on RE2.',
  'GET /health':
    'Without a token, only the status and the version. Pending warnings, for example about settings that need a restart, are listed under warnings.',
  'GET /dialects':
    'With format, the definitions have the form that this model API expects in tools; the tools that its models know have their own form, such as bash_20250124.',
  'POST /exec/{dialect}':
    'The arguments have the names of the tool of that agent, as GET /dialects lists them. A tool named anthropic/bash there is anthropic?tool=bash here. text/plain returns its text alone; a failed command is a 200 with is_error.',
  'GET /approvals':
    'An approval request is answered with POST /approvals/{id}. To be notified of new ones, use GET /events or a webhook.',
  'POST /approvals/{id}':
    'With scope always, the answer is saved for exactly the same request. Needs a person’s token.',
  'DELETE /approvals/rules/{id}': 'The next request that it covered needs a new approval.',
  'POST /tokens':
    'Omitted rights are the least, except files, which is write. A token expires no later than the one that creates it.',
  'POST /pairing': 'The code is valid for five minutes, once, and for at most five attempts.',
  'POST /policy/check': 'Asks every guard about the command with the settings of the caller, or those in the request.',
  'GET /access-log': 'Needs a person’s token. Events name addresses, tokens and rights, but no command and no secret.',
  'POST /tokens/{name}/rotate':
    'Rights and id stay the same, so the token keeps its runs, keys and webhooks. The caller needs all of these rights, and a token that expires no earlier.',
  'POST /approvals/press/{nonce}': 'Only the button of the notification on the phone knows the nonce.',
  'POST /pair': 'The response has the new token. Its rights were chosen when the code was created.',
  'GET /tokens': 'Needs a person’s token.',
  'GET /connections': 'Needs a person’s token.',
  'GET /doctor': 'Needs a person’s token. The same checks as the command shellphone doctor.',
  'GET /phone': 'Needs a person’s token. A field is null if this machine cannot report it; missing says why.',
  'GET /load':
    'Needs a person’s token. An idle service takes no samples, and one in which only background runs and terminals run takes one a minute. In a span of 10 minutes, samples are at least five seconds apart, and between two of them no run began or ended. A longer span has one sample for each minute in which the service took samples, then the current one.',
  'GET /settings':
    'Needs a person’s token. source says whether a value comes from the command line, the environment, config.yaml or the default.',
  'POST /mcp':
    'Each message is one JSON-RPC request, notification or response. Clients of 2025-11-25 begin with initialize.',
}
