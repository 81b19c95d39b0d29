/** The contract as types: openapi.yaml by openapi-typescript, written by npm run docs. */
export interface paths {
  '/exec': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Run a shell command
     * @description Waits for the command and returns its record; with "background": true, responds with 202 at once. A command that needs approval holds no slot while it waits. A denied command returns 403 with its record. If the client disconnects, the command is canceled, unless it runs in the background or has an Idempotency-Key. The same key and body return the same run.
     */
    post: operations['exec']
    /**
     * Cancel the foreground run with this Idempotency-Key, because its caller will not retry
     * @description For a caller that gives up a request with a key: without this call, the run continues until its timeout.
     */
    delete: operations['leaveExec']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/ws': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Run commands over WebSocket, many at once on one connection
     * @description Messages are JSON objects with a type; GET /asyncapi.yaml describes them. The token is in the upgrade request or in the first message, within 5 s.
     */
    get: operations['openSocket']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/runs': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * List runs, newest first
     * @description A token sees its own runs, unless it has the right read: all. Records in the list have no output.
     */
    get: operations['listRuns']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/runs/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Get the record of a run; with wait_seconds, wait for the run to end
     * @description Any route that starts a run returns its id. After a restart of the service, the record of an ended run is still there.
     */
    get: operations['getRun']
    put?: never
    post?: never
    /**
     * Cancel a run: send SIGTERM to the whole process tree, and SIGKILL after the grace period
     * @description Responds before the processes have ended. GET /runs/{id} with wait_seconds waits for the end.
     */
    delete: operations['cancelRun']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/runs/{id}/signal': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Send a named signal to the process group of a run, or to the foreground group of its terminal
     * @description The command and everything in its process group get the signal. A run that waits for approval or for a slot has no process yet: 409. To end a run for certain, use DELETE /runs/{id}.
     */
    post: operations['signalRun']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/runs/{id}/resize': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Change the size of the terminal of a run started with "tty"
     * @description A terminal starts with the size in "tty", and the record has the newest one. While the run waits for approval or for a slot, the response is 409.
     */
    post: operations['resizeRun']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/runs/{id}/stdin': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Get the number of stdin bytes that the command has taken
     * @description After a dropped connection, continue to send from this offset. Only for runs with "stdin": "open".
     */
    get: operations['getStdin']
    /**
     * Feed the stdin of a run as one stream (curl -T -); bytes already received are skipped
     * @description The body begins at offset=N, which counts all bytes of stdin, or without it at the first byte: after other pieces, set it to the offset in their last response, or in that of GET /runs/{id}/stdin. Bytes already received are skipped, and a gap gets 416. The end of the body closes stdin unless the URL has end=false. If the run waits for approval or for a slot, the request waits with it.
     */
    put: operations['streamStdin']
    /**
     * Feed the stdin of a run started with "stdin": "open"
     * @description The offset in the response is the number of bytes that the command has taken: the offset of the next byte. A piece without an offset follows all bytes received so far. Bytes already received are skipped, so repeat a request after a dropped connection with its offset. If the run waits for approval or for a slot, the request waits with it, and the command gets the piece when it starts.
     */
    post: operations['feedStdin']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/runs/{id}/output': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Read the raw stdout or, with stream=stderr, the raw stderr of a run, even while it is running
     * @description To resume after a dropped connection, set offset (or Range) to the number of bytes that you have. With follow=true the response continues until the run ends; Exit-Code and Run-Status are trailers.
     */
    get: operations['getOutput']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/scratchpads/{name}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Read the stdout or, with stream=stderr, the stderr that a dialect saved under a name (scratchpad)
     * @description The Meka dialect stores a long output under the name in its argument scratchpad. Range, offset and follow work as in GET /runs/{id}/output.
     */
    get: operations['getScratchpad']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/runs/{id}/events': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Follow the events of a run as SSE, from the start or from Last-Event-ID
     * @description Each event has an id, STDOUT.STDERR: the byte offsets to resume from. A client that sends it as Last-Event-ID misses and repeats nothing.
     */
    get: operations['getEvents']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/runs/{id}/matches': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Find the lines of stdout (or, with stream=stderr, stderr) that contain a text; reads at most 16 MiB per request
     * @description If complete is false, search again with offset set to next_offset. Read a match with GET /runs/{id}/output?offset=. To sort the matches of both streams, compare arrived.
     */
    get: operations['searchOutput']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/runs/{id}/position': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Find where both streams stood when a byte of stdout (or, with stream=stderr, of stderr) arrived
     * @description Follow both streams from there with GET /runs/{id}/events and Last-Event-ID: STDOUT.STDERR. The order of the first 65,536 changes between the streams is recorded.
     */
    get: operations['findPosition']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/events': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Follow the approval requests and the ends of all runs as SSE, from now on or from Last-Event-ID
     * @description Each event names its run, but has no command and no output: read them with GET /runs/{id}. An event can arrive again after a reconnect.
     */
    get: operations['getRunEvents']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/webhooks': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * List the token's webhooks, or those of all tokens, with their last deliveries
     * @description Each token has its own webhooks, at most eight. A token with read: all lists those of all tokens with all=true; each token changes only its own.
     */
    get: operations['listWebhooks']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/webhooks/{name}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Get a webhook with its last deliveries
     * @description deliveries has the last 20 events since the start of the service, each with the status of its last response and the time of its next try.
     */
    get: operations['getWebhook']
    /**
     * Create or change a webhook, to which the events of GET /events are sent; its secret is returned only once
     * @description The service sends each event as a POST of JSON, signed as Standard Webhooks says, and tries up to seven times within 18 hours. Omitted fields get their defaults, also in an existing webhook. Store the secret: rotate_secret makes a new one.
     */
    put: operations['putWebhook']
    post?: never
    /**
     * Delete a webhook and the events that wait for it
     * @description Also ends the subscription of an MCP client, whose name begins with sub_.
     */
    delete: operations['deleteWebhook']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sessions': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * List the sessions of this token, or of all tokens
     * @description A session is the directory and the exported variables that a command passes on to the next one. Each token has its own; a token with read: all lists those of all tokens with all=true.
     */
    get: operations['listSessions']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sessions/{name}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Get the directory of a session, and the names of its variables
     * @description Values of variables are never returned. A session appears with its first command. cwd is where its next command will start; busy says whether a command still runs in it.
     */
    get: operations['getSession']
    put?: never
    post?: never
    /**
     * Delete a session; a command that is running in it continues, and its state is not kept
     * @description The next command with this session starts from the defaults again.
     */
    delete: operations['deleteSession']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/files': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Read a file, or a directory as a list or as tar
     * @description Each request is a run: the policy judges and the history records it like the command that does the same, for a file cat, for a directory ls.
     */
    get: operations['getFile']
    /**
     * Write a file in one step, or unpack tar into a directory
     * @description The file gets its name when it is complete. With Upload-Key, an interrupted upload can be resumed with Content-Range.
     */
    put: operations['putFile']
    post?: never
    /**
     * Delete a file, a link or an empty directory
     * @description Judged like rm or rmdir. A link itself is deleted, not its target.
     */
    delete: operations['deleteFile']
    options?: never
    /** Get the size, time, ETag and sha256 of a file */
    head: operations['headFile']
    patch?: never
    trace?: never
  }
  '/files/edit': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Replace text in a file: exact, unique, in one step
     * @description Every old text must occur exactly once, unless its edit has replace_all. If one edit fails, nothing is changed.
     */
    post: operations['editFile']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/files/search': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Search files for lines that match a pattern, or list them
     * @description Follows no links, and omits binary files, names that begin with a dot, and what .gitignore excludes. Patterns run on RE2.
     */
    post: operations['searchFiles']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/files/patch': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Apply a patch to several files: all changes, or none
     * @description Accepts unified diffs and *** Begin Patch. Each file is judged and recorded on its own.
     */
    post: operations['patchFiles']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/health': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Health of the service
     * @description Without a token, only the status and the version. Pending warnings, for example about settings that need a restart, are listed under warnings.
     */
    get: operations['getHealth']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/doctor': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Problems of this machine, why they matter and how to fix them; takes up to 15 s
     * @description Needs a person’s token. The same checks as the command shellphone doctor.
     */
    get: operations['getDoctor']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/phone': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Battery, network and storage of the phone, at most a minute old; takes up to 20 s
     * @description Needs a person’s token. A field is null if this machine cannot report it; missing says why.
     */
    get: operations['getPhone']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/load': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Load of the service over the last ten minutes, or up to 24 hours
     * @description Needs a person’s token. An idle service takes no samples, and one in which only background runs and terminals run takes one a minute. In a span of 10 minutes, samples are at least five seconds apart, and between two of them no run began or ended. A longer span has one sample for each minute in which the service took samples, then the current one.
     */
    get: operations['getLoad']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/settings': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * List all settings: value, default and source
     * @description Needs a person’s token. source says whether a value comes from the command line, the environment, config.yaml or the default.
     */
    get: operations['listSettings']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/dialects': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * List the dialects, ready for a model's tool list
     * @description With format, the definitions have the form that this model API expects in tools; the tools that its models know have their own form, such as bash_20250124.
     */
    get: operations['listDialects']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/exec/{dialect}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Run a command in a dialect, with the tool's own parameters and text format
     * @description The arguments have the names of the tool of that agent, as GET /dialects lists them. A tool named anthropic/bash there is anthropic?tool=bash here. text/plain returns its text alone; a failed command is a 200 with is_error.
     */
    post: operations['execDialect']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/mcp': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Model Context Protocol: open the stream of a session */
    get: operations['mcpGET']
    put?: never
    /**
     * Model Context Protocol: send a message to the server
     * @description Each message is one JSON-RPC request, notification or response. Clients of 2025-11-25 begin with initialize.
     */
    post: operations['mcpPOST']
    /** Model Context Protocol: end a session */
    delete: operations['mcpDELETE']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/mcp/{dialect}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Model Context Protocol: open the stream of a session, with the tool of a dialect */
    get: operations['mcpGETWithDialect']
    put?: never
    /** Model Context Protocol: send a message to the server, with the tool of a dialect */
    post: operations['mcpPOSTWithDialect']
    /** Model Context Protocol: end a session, with the tool of a dialect */
    delete: operations['mcpDELETEWithDialect']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/policy/check': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Check what the policy would decide, and why; runs nothing
     * @description Asks every guard about the command with the settings of the caller, or those in the request.
     */
    post: operations['checkPolicy']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/approvals': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * List pending and saved approvals; a token that is not a person’s lists only its own requests
     * @description An approval request is answered with POST /approvals/{id}. To be notified of new ones, use GET /events or a webhook.
     */
    get: operations['listApprovals']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/approvals/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Approve or deny a request
     * @description With scope always, the answer is saved for exactly the same request. Needs a person’s token.
     */
    post: operations['answerApproval']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/approvals/rules/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post?: never
    /**
     * Revoke a saved approval
     * @description The next request that it covered needs a new approval.
     */
    delete: operations['revokeRule']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/approvals/press/{nonce}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Answer with a notification's button; its nonce works once and is the only credential
     * @description Only the button of the notification on the phone knows the nonce.
     */
    post: operations['pressButton']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/tokens': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * List named tokens, without their secrets
     * @description Needs a person’s token.
     */
    get: operations['listTokens']
    put?: never
    /**
     * Create a token with at most the rights of its creator; its secret is returned only once
     * @description Omitted rights are the least, except files, which is write. A token expires no later than the one that creates it.
     */
    post: operations['createToken']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/tokens/{name}/rotate': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Replace the secret of a token; the old secret stops working immediately
     * @description Rights and id stay the same, so the token keeps its runs, keys and webhooks. The caller needs all of these rights, and a token that expires no earlier.
     */
    post: operations['rotateToken']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/tokens/{name}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post?: never
    /** Revoke a token and close its connections; its runs continue, except foreground runs without a key */
    delete: operations['revokeToken']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/pairing': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Create a pairing code, which replaces the previous one
     * @description The code is valid for five minutes, once, and for at most five attempts.
     */
    post: operations['createPairingCode']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/pair': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Exchange a pairing code for a token, once; the code is the only credential
     * @description The response has the new token. Its rights were chosen when the code was created.
     */
    post: operations['pair']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/connections': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * List open connections that have authenticated with a token
     * @description Needs a person’s token.
     */
    get: operations['listConnections']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/access-log': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * List who paired, lost access or answered approvals, newest first; the last 1000 events are stored
     * @description Needs a person’s token. Events name addresses, tokens and rights, but no command and no secret.
     */
    get: operations['listAccessEvents']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/metrics': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Prometheus metrics */
    get: operations['getMetrics']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/openapi.yaml': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The contract of the HTTP API */
    get: operations['getContract']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/asyncapi.yaml': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The contract of the messages of GET /ws */
    get: operations['getMessageContract']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/docs': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The API contract as a page with a search field */
    get: operations['getDocs']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
}
export type webhooks = Record<string, never>
export interface components {
  schemas: {
    /** @description Run in a terminal of this size, in the background, with an open stdin and all output as stdout */
    WindowSize: {
      /** @description Lines */
      rows: number
      /** @description Characters per line */
      columns: number
    }
    /**
     * @description What the kernel lets the command write: none: everything that its user may; read-only: nothing; workspace-write: its workspace (default: the setting sandbox)
     * @enum {string}
     */
    SandboxName: 'none' | 'read-only' | 'workspace-write'
    /** @description Limits for this command; if a setting limits the same resource, the stricter limit applies */
    RequestLimits: {
      /** @description CPU time in seconds, of all processes together; without the launcher, of each process */
      cpu_seconds?: number
      /** @description Address space of each process, in bytes */
      address_space_bytes?: number
      /** @description Concurrent processes, including the shell */
      processes?: number
      /** @description Open file descriptors of each process */
      open_files?: number
      /** @description Size of each file that it writes, in bytes */
      file_size_bytes?: number
      /** @description Nice value; a higher one runs with less priority */
      nice?: number
    }
    /** @description A command to run, and how to run it */
    ExecRequest: {
      /** @description The shell command to execute; not blank, at most 1 MiB */
      command: string
      /** @description Timeout in seconds (default: 30, in the background 86400); a timeout above the maximum (120 or 86400, settings) is lowered to it, with a note in the response */
      timeout_seconds?: number | string
      /** @description An existing directory (default: $HOME, a setting) */
      working_directory?: string
      /** @description Maximum characters of the command's output in the response (default: 50000, a setting), stdout and stderr together; the lines that the service adds (exit code, [stderr], what is left out) do not count */
      max_length?: number | string
      /** @description Environment variables added for this command */
      env?: {
        [key: string]: string
      }
      /** @description Text to send before stdin is closed; "open": send it with POST /runs/:id/stdin (default: an empty stdin) */
      stdin?: string
      /**
       * @description How output (and the data of stdin) is encoded as text; base64 keeps every byte (default: utf8)
       * @enum {string}
       */
      encoding?: 'utf8' | 'base64'
      /** @description Run in a terminal of this size, in the background, with an open stdin and all output as stdout */
      tty?: components['schemas']['WindowSize']
      /** @description Respond with 202 at once; the run continues without its client (default: false) */
      background?: boolean
      /**
       * @description When the stored output is full: drop further output, or make the command wait for its readers (default: drop)
       * @enum {string}
       */
      when_full?: 'drop' | 'wait'
      /** @description For a background run: cancel it this many seconds after the last connection that followed it was lost */
      lease_seconds?: number | string
      /** @description Files to report in artifacts, with size and SHA-256, after the command has ended */
      artifact_paths?: string[]
      /** @description What the kernel lets the command write: none: everything that its user may; read-only: nothing; workspace-write: its workspace (default: the setting sandbox) */
      sandbox?: components['schemas']['SandboxName']
      /** @description false: no network in the sandbox (default: the setting sandbox.network) */
      network?: boolean
      /** @description Limits for this command; if a setting limits the same resource, the stricter limit applies */
      limits?: components['schemas']['RequestLimits']
      /** @description A session of this token, created by its first use: the command starts in the directory and with the exported variables of the last one */
      session?: string
    }
    /**
     * @description queued, starting, running, then one final status: completed (exit code 0), failed (another exit code or a signal), timed_out, canceled or denied
     * @enum {string}
     */
    RunStatus: 'queued' | 'starting' | 'running' | 'completed' | 'failed' | 'timed_out' | 'canceled' | 'denied'
    /**
     * @description allow: the command runs; ask: it runs if a person approves it; deny: it does not run
     * @enum {string}
     */
    Verdict: 'allow' | 'ask' | 'deny'
    /**
     * @description How much damage the command could do, as the policy estimates it
     * @enum {string}
     */
    Risk: 'low' | 'medium' | 'high'
    /** @description A rule that applied */
    SpokenRule: {
      /** @description The guard that the rule belongs to, such as catastrophic */
      guard: string
      /**
       * @description allow: the command runs; ask: it runs if a person approves it; deny: it does not run
       * @enum {string}
       */
      verdict: 'allow' | 'ask' | 'deny'
      /**
       * @description How much damage the command could do, as the policy estimates it
       * @enum {string}
       */
      risk: 'low' | 'medium' | 'high'
      /** @description The name of the rule; null: none of the guard applied */
      rule: string | null
      /** @description Why, in a sentence for the person or the model */
      reason: string | null
    }
    /** @description What the policy decided about the command */
    Decision: {
      /** @description allow: the command runs; ask: it runs if a person approves it; deny: it does not run */
      verdict: components['schemas']['Verdict']
      /** @description How much damage the command could do, as the policy estimates it */
      risk?: components['schemas']['Risk']
      /** @description The rule that decided; null: no rule applied */
      rule: string | null
      /** @description Why, in a sentence for the person or the model */
      reason: string | null
      /** @description Every rule that applied, up to 20, if there was more than one */
      rules?: components['schemas']['SpokenRule'][]
    }
    /** @description How an approval request was decided, and by whom */
    Approval: {
      /** @description approved; denied; timeout: nobody answered; withdrawn: the run was canceled; full: too many requests are pending; closed: the service is stopping; nobody: nobody can answer */
      outcome: string
      /** @description The token of the person who answered; null: no person did */
      by: string | null
      /** @description How the answer arrived: http, websocket, cli, notification … */
      how: string | null
      /** @description When the request was decided, as ISO 8601 in UTC */
      at: string
      /** @description once: for this run; always: saved for identical requests; null: nobody answered */
      scope: string | null
      /** @description The id of the saved rule that answered, or that the answer created */
      saved_rule: string | null
    }
    /** @description What the command did to its session */
    SessionRecord: {
      /** @description The name of the session */
      name: string
      /** @description The directory in which the next command starts */
      cwd: string
      /** @description Variables that the command has set */
      set: string[]
      /** @description Variables that the command has unset */
      unset: string[]
      /** @description Whether the next command starts with the state after this one */
      kept: boolean
      /** @description Why the state was not kept: unfinished (or not started), background, stopped (denied, canceled, timed out, or killed by a signal), not_captured (exec, or an EXIT trap of its own), too_large, not_utf8 (the directory), deleted (the session) */
      reason: ('unfinished' | 'background' | 'stopped' | 'not_captured' | 'too_large' | 'not_utf8' | 'deleted') | null
    }
    /** @description A file that the request asked about, or that a transfer moved */
    Artifact: {
      /** @description The path as requested */
      path: string
      /** @description Size in bytes */
      bytes?: number
      /** @description SHA-256 of the file, in hexadecimal */
      sha256?: string
      /** @description Why the file could not be read, in place of size and hash */
      error?: string
    }
    /** @description Something that a person should know about the run */
    Note: {
      /**
       * @description For programs; it never changes its meaning
       * @enum {string}
       */
      code:
        | 'NOTE'
        | 'LOWERED'
        | 'HIDDEN_FOLDER_WITHIN'
        | 'SESSION_LOST'
        | 'WAITS_FOR_SESSION'
        | 'WAITS_FOR_ANSWER'
        | 'CANCELED_BY_CLIENT'
        | 'CANCELED_BEFORE_START'
        | 'CLIENT_WENT_AWAY'
        | 'CLIENT_NOT_SEEN'
        | 'TERMINAL_NOT_READ'
        | 'SERVICE_STOPPING'
        | 'SERVICE_STOPPED'
        | 'FAILED'
        | 'PROCESSES_EXCEEDED'
        | 'CPU_TIME_EXCEEDED'
        | 'TIME_OVER'
        | 'LAUNCHER_DIED'
        | 'KEEPER_KILLED'
        | 'LAUNCHER_KILLED'
        | 'LAUNCHER_SILENT'
        | 'RUN_LOST'
        | 'SYSTEM_CALL_REFUSED'
        | 'CPU_TIME_REACHED'
        | 'FILE_SIZE_REACHED'
        | 'KILLED'
        | 'PROCESS_KILLED'
        | 'SESSION_DROPPED'
        | 'SESSION_NOT_KEPT'
        | 'BACKGROUND_ENDED'
        | 'BACKGROUND_KEPT'
        | 'NOT_ENDED'
        | 'BEST_EFFORT'
        | 'OUTPUT_STILL_OPEN'
        | 'OUTPUT_NOT_KEPT'
        | 'RECORD_IN_MEMORY'
        | 'TEXT_NOT_KEPT'
        | 'TRANSFER'
        | 'ENTRIES'
        | 'LEFT_OUT'
        | 'CLIENT_HAS_IT'
        | 'PART_SENT'
        | 'PART_STORED'
        | 'NOT_READ_TO_END'
        | 'CUT_SHORT'
      /** @description For people; it may change at any time */
      text: string
    }
    /**
     * @description A run: the command, the decision about it, and its result
     * @example {
     *       "id": "01k7g7y3sgv0m2q4t8j6x1n5zb",
     *       "token": "owner",
     *       "token_id": "owner",
     *       "dialect": "oneclaw",
     *       "via": "POST /exec",
     *       "status": "completed",
     *       "exit_code": 0,
     *       "signal": null,
     *       "timed_out": false,
     *       "stdout": "Linux localhost 6.1.99 aarch64 Android\n",
     *       "stderr": "",
     *       "stdout_bytes": 39,
     *       "stderr_bytes": 0,
     *       "truncated": false,
     *       "output": "[Exit Code: 0]\nLinux localhost 6.1.99 aarch64 Android\n",
     *       "command": "uname -a",
     *       "working_directory": "/home/you",
     *       "timeout_seconds": 30,
     *       "max_length": 50000,
     *       "sandbox": "none",
     *       "decision": {
     *         "verdict": "allow",
     *         "rule": null,
     *         "reason": null,
     *         "risk": "low"
     *       },
     *       "queued_ms": 0,
     *       "duration_ms": 21,
     *       "started_at": "2026-01-31T10:20:30.400Z",
     *       "ended_at": "2026-01-31T10:20:30.421Z",
     *       "left_behind": {
     *         "ended": 0,
     *         "survivors": []
     *       },
     *       "artifacts": [],
     *       "notes": [],
     *       "stdout_sha256": "2d5327629b3969efc085d4970a9558030bee187611b8238dc2c983036d75fdf2",
     *       "stderr_sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
     *     }
     */
    ExecRecord: {
      /** @description The id of the run: 26 characters that sort by time (ULID) */
      id: string
      /** @description The name of the token that started it, or owner */
      token?: string
      /** @description The id of that token; absent from records older than token ids */
      token_id?: string
      /** @description The dialect of the request; oneclaw for POST /exec */
      dialect?: string
      /** @description The route or the MCP tool that started it: POST /exec, WebSocket, MCP exec … */
      via?: string
      /** @description queued, starting, running, then one final status: completed (exit code 0), failed (another exit code or a signal), timed_out, canceled or denied */
      status: components['schemas']['RunStatus']
      /** @description -1 after a timeout, a cancellation or a denial, and if the shell returned no exit code */
      exit_code: number
      /** @description The signal that killed the command, such as SIGKILL; null: none */
      signal: string | null
      /** @description Whether the service killed the command at its timeout */
      timed_out: boolean
      /** @description stdout, at most max_length characters together with stderr */
      stdout: string
      /** @description stderr, at most max_length characters together with stdout */
      stderr: string
      /** @description How many bytes the command wrote to stdout */
      stdout_bytes: number
      /** @description How many bytes the command wrote to stderr */
      stderr_bytes: number
      /** @description SHA-256 of all of stdout; null: the service did not see all of it, in hexadecimal */
      stdout_sha256?: string | null
      /** @description SHA-256 of all of stderr; null: the service did not see all of it, in hexadecimal */
      stderr_sha256?: string | null
      /** @description Whether the text of the response omits output; GET /runs/:id/output returns what is stored */
      truncated: boolean
      /** @description The formatted text of the exec tool */
      output: string
      /** @description The shell command; the history may redact secrets in it */
      command: string
      /** @description The directory in which the command started */
      working_directory: string
      /** @description The timeout that applied, in seconds */
      timeout_seconds: number
      /** @description The limit on output in the response that applied, in characters */
      max_length: number
      /** @description The sandbox that applied: none, read-only or workspace-write */
      sandbox: string
      /** @description Run in a terminal of this size, in the background, with an open stdin and all output as stdout */
      tty?: components['schemas']['WindowSize']
      /** @description What the policy decided about the command */
      decision: components['schemas']['Decision']
      /** @description How an approval request was decided, and by whom */
      approval?: components['schemas']['Approval']
      /** @description The approval request for which the run waits; absent unless it waits for a person */
      pending_approval?: {
        /** @description The id of the approval request, for POST /approvals/:id */
        id: string
        /** @description When it counts as denied if nobody answers, as ISO 8601 in UTC */
        expires_at: string
      }
      /** @description What the command did to its session */
      session?: components['schemas']['SessionRecord']
      /** @description The name under which the complete output is saved (Meka) */
      scratchpad?: string
      /** @description How long it waited for a slot, in milliseconds */
      queued_ms: number
      /** @description How long the command ran, in milliseconds */
      duration_ms: number
      /** @description When the command started, as ISO 8601 in UTC */
      started_at: string | null
      /** @description When the run ended, as ISO 8601 in UTC */
      ended_at: string | null
      /** @description Processes that the command left behind */
      left_behind: {
        /** @description How many processes the service killed after the command had ended */
        ended: number
        /** @description Process ids that could not be killed */
        survivors: number[]
      }
      /** @description The files of artifact_paths, or those of a transfer */
      artifacts: components['schemas']['Artifact'][]
      /** @description What a person should know about this run, such as a lowered timeout */
      notes: components['schemas']['Note'][]
      /** @description Why no result exists, such as a shell that could not be started */
      failure?: {
        /** @description The code of the error, such as NOT_STARTED */
        code: string
        /** @description What happened, for people */
        message: string
        /** @description What the error is about, such as a directory */
        about?: string
      }
    }
    /** @description A transition to another status */
    StatusEvent: {
      /**
       * @description The kind of message
       * @enum {string}
       */
      type: 'status'
      /** @description The id of the run */
      id: string
      /** @description queued, starting, running, then one final status: completed (exit code 0), failed (another exit code or a signal), timed_out, canceled or denied */
      status: components['schemas']['RunStatus']
    }
    /** @description The run waits for approval */
    NoteEvent: {
      /**
       * @description The kind of message
       * @enum {string}
       */
      type: 'note'
      /** @description The id of the run */
      id: string
      /** @description Something that a person should know about the run */
      note: components['schemas']['Note']
      /** @description The approval request for which the run waits; absent unless it waits for a person */
      approval: {
        /** @description The id of the approval request, for POST /approvals/:id */
        id: string
        /** @description When it counts as denied if nobody answers, as ISO 8601 in UTC */
        expires_at: string
      }
    }
    /** @description Output of the command */
    OutputEvent: {
      /**
       * @description The kind of message
       * @enum {string}
       */
      type: 'output'
      /** @description The id of the run */
      id: string
      /**
       * @description The stream of this piece
       * @enum {string}
       */
      stream: 'stdout' | 'stderr'
      /** @description Offset of this piece in its stream, in bytes */
      offset: number
      /** @description The offset to resume from after this piece */
      next_offset: number
      /** @description The piece, in the encoding of this event */
      data: string
      /**
       * @description How output (and the data of stdin) is encoded as text; base64 keeps every byte (default: utf8)
       * @enum {string}
       */
      encoding: 'utf8' | 'base64'
    }
    /** @description The record; the last event, unless an error ends the events */
    ResultEvent: {
      /**
       * @description The kind of message
       * @enum {string}
       */
      type: 'result'
      /** @description The id of the run: 26 characters that sort by time (ULID) */
      id: string
      /** @description The name of the token that started it, or owner */
      token?: string
      /** @description The id of that token; absent from records older than token ids */
      token_id?: string
      /** @description The dialect of the request; oneclaw for POST /exec */
      dialect?: string
      /** @description The route or the MCP tool that started it: POST /exec, WebSocket, MCP exec … */
      via?: string
      /** @description queued, starting, running, then one final status: completed (exit code 0), failed (another exit code or a signal), timed_out, canceled or denied */
      status: components['schemas']['RunStatus']
      /** @description -1 after a timeout, a cancellation or a denial, and if the shell returned no exit code */
      exit_code: number
      /** @description The signal that killed the command, such as SIGKILL; null: none */
      signal: string | null
      /** @description Whether the service killed the command at its timeout */
      timed_out: boolean
      /** @description stdout, at most max_length characters together with stderr */
      stdout: string
      /** @description stderr, at most max_length characters together with stdout */
      stderr: string
      /** @description How many bytes the command wrote to stdout */
      stdout_bytes: number
      /** @description How many bytes the command wrote to stderr */
      stderr_bytes: number
      /** @description SHA-256 of all of stdout; null: the service did not see all of it, in hexadecimal */
      stdout_sha256?: string | null
      /** @description SHA-256 of all of stderr; null: the service did not see all of it, in hexadecimal */
      stderr_sha256?: string | null
      /** @description Whether the text of the response omits output; GET /runs/:id/output returns what is stored */
      truncated: boolean
      /** @description The formatted text of the exec tool */
      output: string
      /** @description The shell command; the history may redact secrets in it */
      command: string
      /** @description The directory in which the command started */
      working_directory: string
      /** @description The timeout that applied, in seconds */
      timeout_seconds: number
      /** @description The limit on output in the response that applied, in characters */
      max_length: number
      /** @description The sandbox that applied: none, read-only or workspace-write */
      sandbox: string
      /** @description Run in a terminal of this size, in the background, with an open stdin and all output as stdout */
      tty?: components['schemas']['WindowSize']
      /** @description What the policy decided about the command */
      decision: components['schemas']['Decision']
      /** @description How an approval request was decided, and by whom */
      approval?: components['schemas']['Approval']
      /** @description The approval request for which the run waits; absent unless it waits for a person */
      pending_approval?: {
        /** @description The id of the approval request, for POST /approvals/:id */
        id: string
        /** @description When it counts as denied if nobody answers, as ISO 8601 in UTC */
        expires_at: string
      }
      /** @description What the command did to its session */
      session?: components['schemas']['SessionRecord']
      /** @description The name under which the complete output is saved (Meka) */
      scratchpad?: string
      /** @description How long it waited for a slot, in milliseconds */
      queued_ms: number
      /** @description How long the command ran, in milliseconds */
      duration_ms: number
      /** @description When the command started, as ISO 8601 in UTC */
      started_at: string | null
      /** @description When the run ended, as ISO 8601 in UTC */
      ended_at: string | null
      /** @description Processes that the command left behind */
      left_behind: {
        /** @description How many processes the service killed after the command had ended */
        ended: number
        /** @description Process ids that could not be killed */
        survivors: number[]
      }
      /** @description The files of artifact_paths, or those of a transfer */
      artifacts: components['schemas']['Artifact'][]
      /** @description What a person should know about this run, such as a lowered timeout */
      notes: components['schemas']['Note'][]
      /** @description Why no result exists, such as a shell that could not be started */
      failure?: {
        /** @description The code of the error, such as NOT_STARTED */
        code: string
        /** @description What happened, for people */
        message: string
        /** @description What the error is about, such as a directory */
        about?: string
      }
    }
    /**
     * @description The kind of error, for programs.
     *     - validation_error: The request is not valid; `field` names the part. Correct the request as the message says. Do not repeat it unchanged.
     *     - unauthorized: The token, pairing code or nonce is missing, wrong, expired or revoked, or used from another address. Send a valid token. Get one with `shellphone token create` or `shellphone pair`.
     *     - forbidden_origin: A page of another site sent the request. Add the `Origin` to `allowed_origins` if you trust that site.
     *     - forbidden_host: The `Host` header is a name that the service does not know. Use the IP address, or add the name to `allowed_hosts`.
     *     - forbidden: The token lacks the right, or the call is for people only. Use a token with the right. Do not repeat it with the same token.
     *     - tls_required: Plain HTTP from another machine, but this port requires HTTPS. Use `https://`, with the key that `shellphone pair` pins.
     *     - not_found: No such route, run, file, token or dialect, or this token may not see it. Check the path and the id. `GET /docs` lists the routes.
     *     - method_not_allowed: The path exists, with other methods. Use a method that the header `Allow` lists.
     *     - conflict: The request contradicts the current state, such as a used name or key, an ended run or a closed stdin. Read the state first. Use another name or key for another command.
     *     - wrong_home: Fleet: the phone was wiped or copied since the request was made. Read the phone again from the control plane, then decide whether to send the command.
     *     - phone_conflict: Fleet: two devices use the identity of one phone. Revoke the phone, and let each device join on its own.
     *     - expired: The run was known, but its record or output has been deleted. Do not wait for it. Run the command again with a new key if that is safe.
     *     - precondition_failed: The file has changed: `If-Match` or `If-None-Match` did not hold. Read the file again, apply the change, and send it with the new `ETag`.
     *     - too_large: The body, message or command exceeds its limit, which the message names. Send less, or send a file with `PUT /files`, which has no such limit.
     *     - unsupported_media_type: The route does not accept this `Content-Type`. Send `application/json` (`curl --json`).
     *     - out_of_range: An offset or range lies beyond the end of the data. Ask for the current size, and continue from there.
     *     - rate_limited: Too many wrong tokens from this address, or too much work on one connection. Wait as many seconds as `Retry-After` says; on a connection, until a run has ended.
     *     - execution_error: The service failed: the shell did not start, or an internal error. Read the message and the log; `shellphone doctor` finds the usual causes.
     *     - pool_full: All slots and the queue are full, or the service is stopping; nothing was run. Repeat the request after as many seconds as `Retry-After` says.
     *     - restart_needed: The program on disk has been replaced by an upgrade. Restart the service, then repeat the request.
     *     - sandbox_unavailable: This system cannot enforce the requested sandbox; nothing was run. Ask for a sandbox that `GET /health` lists, or for `none`.
     *     - terminal_unavailable: This system cannot open a terminal. Run the command without `tty`; `GET /health` says why.
     *     - phone_garbled: Fleet: the phone sent a malformed response. Upgrade the phone and the control plane to the same version.
     *     - broker_unavailable: Fleet: the control plane has no connection to its broker. Repeat the request later; check the NATS server.
     *     - phone_offline: Fleet: the phone is not connected; nothing was sent. Repeat the request after as many seconds as `Retry-After` says, or create a job, which waits.
     *     - phone_silent: Fleet: the phone stopped responding, and the command may have run. Repeat the request with the same `Idempotency-Key`; it does not run twice.
     *     - insufficient_storage: The disk is full; the previous file remains unchanged. Free space on the device, then repeat the request.
     * @enum {string}
     */
    ErrorType:
      | 'validation_error'
      | 'unauthorized'
      | 'forbidden_origin'
      | 'forbidden_host'
      | 'forbidden'
      | 'tls_required'
      | 'not_found'
      | 'method_not_allowed'
      | 'conflict'
      | 'wrong_home'
      | 'phone_conflict'
      | 'expired'
      | 'precondition_failed'
      | 'too_large'
      | 'unsupported_media_type'
      | 'out_of_range'
      | 'rate_limited'
      | 'execution_error'
      | 'pool_full'
      | 'restart_needed'
      | 'sandbox_unavailable'
      | 'terminal_unavailable'
      | 'phone_garbled'
      | 'broker_unavailable'
      | 'phone_offline'
      | 'phone_silent'
      | 'insufficient_storage'
    /** @description The error that ended the events early */
    ErrorEvent: {
      /**
       * @description The kind of message
       * @enum {string}
       */
      type: 'error'
      /** @description What went wrong */
      error: {
        /** @description The kind of error, for programs. */
        type: components['schemas']['ErrorType']
        /** @description What happened and what to do, for people; it may change at any time */
        message: string
        /** @description The invalid field, parameter or header */
        field?: string
      }
    }
    /** @description The data of an event; the event name is the type */
    StreamedEvent:
      | components['schemas']['StatusEvent']
      | components['schemas']['NoteEvent']
      | components['schemas']['OutputEvent']
      | components['schemas']['ResultEvent']
      | components['schemas']['ErrorEvent']
    /**
     * @description The format of every error
     * @example {
     *       "error": {
     *         "type": "validation_error",
     *         "message": "timeout_seconds: expected a number greater than 0, got -1",
     *         "field": "timeout_seconds"
     *       }
     *     }
     */
    Error: {
      /** @description What went wrong */
      error: {
        /** @description The kind of error, for programs. */
        type: components['schemas']['ErrorType']
        /** @description What happened and what to do, for people; it may change at any time */
        message: string
        /** @description The invalid field, parameter or header */
        field?: string
      }
    }
    /** @description The record of a run without the text of its output */
    RunSummary: {
      /** @description The id of the run: 26 characters that sort by time (ULID) */
      id: string
      /** @description The name of the token that started it, or owner */
      token?: string
      /** @description The id of that token; absent from records older than token ids */
      token_id?: string
      /** @description The dialect of the request; oneclaw for POST /exec */
      dialect?: string
      /** @description The route or the MCP tool that started it: POST /exec, WebSocket, MCP exec … */
      via?: string
      /** @description queued, starting, running, then one final status: completed (exit code 0), failed (another exit code or a signal), timed_out, canceled or denied */
      status: components['schemas']['RunStatus']
      /** @description -1 after a timeout, a cancellation or a denial, and if the shell returned no exit code */
      exit_code: number
      /** @description The signal that killed the command, such as SIGKILL; null: none */
      signal: string | null
      /** @description Whether the service killed the command at its timeout */
      timed_out: boolean
      /** @description How many bytes the command wrote to stdout */
      stdout_bytes: number
      /** @description How many bytes the command wrote to stderr */
      stderr_bytes: number
      /** @description SHA-256 of all of stdout; null: the service did not see all of it, in hexadecimal */
      stdout_sha256?: string | null
      /** @description SHA-256 of all of stderr; null: the service did not see all of it, in hexadecimal */
      stderr_sha256?: string | null
      /** @description Whether the text of the response omits output; GET /runs/:id/output returns what is stored */
      truncated: boolean
      /** @description The shell command; the history may redact secrets in it */
      command: string
      /** @description The directory in which the command started */
      working_directory: string
      /** @description The timeout that applied, in seconds */
      timeout_seconds: number
      /** @description The limit on output in the response that applied, in characters */
      max_length: number
      /** @description The sandbox that applied: none, read-only or workspace-write */
      sandbox: string
      /** @description Run in a terminal of this size, in the background, with an open stdin and all output as stdout */
      tty?: components['schemas']['WindowSize']
      /** @description What the policy decided about the command */
      decision: components['schemas']['Decision']
      /** @description How an approval request was decided, and by whom */
      approval?: components['schemas']['Approval']
      /** @description The approval request for which the run waits; absent unless it waits for a person */
      pending_approval?: {
        /** @description The id of the approval request, for POST /approvals/:id */
        id: string
        /** @description When it counts as denied if nobody answers, as ISO 8601 in UTC */
        expires_at: string
      }
      /** @description What the command did to its session */
      session?: components['schemas']['SessionRecord']
      /** @description The name under which the complete output is saved (Meka) */
      scratchpad?: string
      /** @description How long it waited for a slot, in milliseconds */
      queued_ms: number
      /** @description How long the command ran, in milliseconds */
      duration_ms: number
      /** @description When the command started, as ISO 8601 in UTC */
      started_at: string | null
      /** @description When the run ended, as ISO 8601 in UTC */
      ended_at: string | null
      /** @description Processes that the command left behind */
      left_behind: {
        /** @description How many processes the service killed after the command had ended */
        ended: number
        /** @description Process ids that could not be killed */
        survivors: number[]
      }
      /** @description The files of artifact_paths, or those of a transfer */
      artifacts: components['schemas']['Artifact'][]
      /** @description What a person should know about this run, such as a lowered timeout */
      notes: components['schemas']['Note'][]
      /** @description Why no result exists, such as a shell that could not be started */
      failure?: {
        /** @description The code of the error, such as NOT_STARTED */
        code: string
        /** @description What happened, for people */
        message: string
        /** @description What the error is about, such as a directory */
        about?: string
      }
    }
    /** @description The newest runs that fit the query */
    RunList: {
      /** @description The runs, newest first */
      runs: components['schemas']['RunSummary'][]
    }
    /** @description How much of its stdin the command has taken */
    StdinTaken: {
      /**
       * @description The command has the bytes
       * @enum {boolean}
       */
      ok: true
      /** @description How many bytes the command has taken */
      offset: number
    }
    /** @description How much of its stdin the command has taken */
    StdinState: {
      /** @description How many bytes the command has taken */
      offset: number
      /** @description Whether stdin is closed */
      ended: boolean
    }
    /** @description The matching lines of one stream */
    OutputMatches: {
      /** @description The lines that contain the text */
      matches: {
        /** @description Where the line starts, in bytes of the stream */
        offset: number
        /** @description The number of lines between the start of the search and this line */
        line: number
        /** @description How many bytes of both streams arrived before the line */
        arrived: number
        /** @description How often the line contains the text */
        count: number
      }[]
      /** @description The number of complete lines that were searched */
      lines: number
      /** @description Where the next search continues, in bytes */
      next_offset: number
      /** @description Whether everything that is stored now was searched */
      complete: boolean
    }
    /** @description Where both streams of a run stood at the same time */
    OutputPosition: {
      /** @description Offset in stdout, in bytes */
      stdout: number
      /** @description Offset in stderr, in bytes */
      stderr: number
    }
    /** @description An event of a run, without its command and output */
    WakeEvent: {
      /**
       * @description run.asked: the run waits for approval; run.answered: the approval request has ended; run.ended: the run has ended
       * @enum {string}
       */
      type: 'run.asked' | 'run.answered' | 'run.ended'
      /** @description When it happened, as ISO 8601 in UTC */
      timestamp: string
      /** @description The run */
      data: {
        /** @description The id of the run */
        run_id: string
        /** @description queued, starting, running, then one final status: completed (exit code 0), failed (another exit code or a signal), timed_out, canceled or denied */
        status: components['schemas']['RunStatus']
        /** @description The exit code; null: none */
        exit_code: number | null
      }
    }
    /** @description An event on its way to a webhook */
    WebhookDelivery: {
      /** @description The header webhook-id, the same in each try */
      id: string
      /**
       * @description run.asked: the run waits for approval; run.answered: the approval request has ended; run.ended: the run has ended
       * @enum {string}
       */
      type: 'run.asked' | 'run.answered' | 'run.ended'
      /** @description The id of the run */
      run_id: string
      /**
       * @description waiting: the next try is due at next_at; delivered: a response of 2xx; failed: no further try
       * @enum {string}
       */
      status: 'waiting' | 'delivered' | 'failed'
      /** @description How many tries have ended */
      tries: number
      /** @description The status of the last response; null: none */
      response_status: number | null
      /** @description Why the last try failed; null: it did not */
      error: string | null
      /** @description When the last try ended; null: none has ended since the service started, as ISO 8601 in UTC */
      tried_at: string | null
      /** @description When the next try is due; null: never, as ISO 8601 in UTC */
      next_at: string | null
    }
    /** @description A webhook of a token, without its secret */
    Webhook: {
      /** @description Its name: 1 to 64 letters, digits, dots, underscores and hyphens; each token has its own names */
      name: string
      /** @description The name of the token to which it belongs */
      token: string
      /** @description Where to POST the events: HTTPS to a public address, or a host in the setting webhook_hosts */
      url: string
      /** @description The types of events to send */
      types: ('run.asked' | 'run.answered' | 'run.ended')[]
      /** @description Only runs in this session of the token; null: all */
      session: string | null
      /** @description When it was created, as ISO 8601 in UTC */
      created_at: string
      /** @description When the subscription of an MCP client ends unless it is renewed; null: never, as ISO 8601 in UTC */
      expires_at: string | null
      /**
       * @description gone: the receiver responded with 410, so nothing is sent until the webhook is put again
       * @enum {string}
       */
      status: 'active' | 'gone'
      /** @description How many events wait for a try */
      waiting: number
      /** @description How many events were not sent because too many waited, since the start */
      dropped: number
      /** @description The last 20 deliveries since the start, newest first */
      deliveries: components['schemas']['WebhookDelivery'][]
    }
    /** @description A webhook to create or to change */
    WebhookInput: {
      /** @description Where to POST the events: HTTPS to a public address, or a host in the setting webhook_hosts */
      url: string
      /** @description The types of events to send (default: all) */
      types?: ('run.asked' | 'run.answered' | 'run.ended')[]
      /** @description Send only events of runs in this session of the token (default: of all runs that it may read) */
      session?: string
      /** @description Make a new secret; for 24 h events are signed with the old one, too (default: false) */
      rotate_secret?: boolean
    }
    /** @description The webhook is changed; secret is null unless it is new */
    PutWebhook: {
      /** @description A webhook of a token, without its secret */
      webhook: components['schemas']['Webhook']
      /** @description The secret, whsec_…, returned only when it is made; null: it has not changed */
      secret: string | null
    }
    /** @description A session of a token, without the values of its variables */
    SessionInfo: {
      /** @description The name of the session */
      name: string
      /** @description The name of the token to which it belongs */
      token: string
      /** @description The directory of the next command; null: the default directory */
      cwd: string | null
      /** @description Variables that differ from the base environment */
      set: string[]
      /** @description Variables of the base environment that the session has unset */
      unset: string[]
      /** @description Variables that a restart has lost, because values that look like secrets are never written to disk */
      lost: string[]
      /** @description Counts the changes of the state */
      revision: number
      /** @description Whether a command uses it now */
      busy: boolean
      /** @description How many commands wait for it */
      waiting: number
      /** @description When a command used it last, as ISO 8601 in UTC */
      used_at: string
      /** @description When it is deleted unless a command uses it before, as ISO 8601 in UTC */
      expires_at: string
    }
    /**
     * @description The type of an entry; a link is a symlink, whatever it points to
     * @enum {string}
     */
    FileType: 'file' | 'directory' | 'symlink' | 'fifo' | 'socket' | 'block_device' | 'character_device'
    /** @description One entry of a directory */
    FileEntry: {
      /** @description Its name in the directory */
      name: string
      /** @description The type of an entry; a link is a symlink, whatever it points to */
      type: components['schemas']['FileType']
      /** @description Size in bytes */
      bytes: number
      /** @description Permissions, octal: 0644 */
      mode: string
      /** @description When its content last changed, as ISO 8601 in UTC */
      modified_at: string
      /** @description Changes when the file changes or is replaced */
      etag: string
      /** @description The target of a symlink, as written in it */
      target?: string
    }
    /** @description A page of a directory */
    FileList: {
      /** @description The path with its links resolved */
      path: string
      /** @description The entries, by name */
      entries: components['schemas']['FileEntry'][]
      /** @description Send it as `after` to get the next page; null: this was the last page */
      next: string | null
    }
    /** @description A part of a text file, or the names in a directory */
    FileReadResult: {
      /** @description The path with its links resolved */
      path: string
      /** @description Lines with their numbers, as cat -n prints them; a directory: its names */
      text: string
      /** @description The hash of the whole file, for if_hash; null: a directory, or a file above 64 MiB */
      hash: string | null
      /** @description Number of lines of the file */
      lines: number | null
      /** @description The offset to continue from; null: this was the end */
      next: number | null
      /** @description Whether something after these lines, or the end of a long line, is missing */
      truncated: boolean
      /** @description lf, crlf or mixed; null: no line ends */
      eol: string | null
    }
    /** @description Replacements in a text file */
    FileEditRequest: {
      /** @description Absolute, or ~/x in the home directory */
      path: string
      /** @description Replacements */
      edits: {
        /** @description Text that occurs exactly once */
        old: string
        /** @description Its replacement */
        new: string
        /** @description Replace every occurrence */
        replace_all?: boolean
      }[]
      /** @description Change only the file with this hash; none: only create a new file */
      if_hash?: string
      /** @description What the kernel lets the command write: none: everything that its user may; read-only: nothing; workspace-write: its workspace (default: the setting sandbox) */
      sandbox?: components['schemas']['SandboxName']
    }
    /** @description An edited file */
    FileEditResult: {
      /** @description The path with its links resolved */
      path: string
      /** @description sha256: and 16 hex digits, from a read or an earlier change */
      hash: string
      /** @description Number of replacements */
      replaced: number
      /** @description The changed lines with four lines around them */
      snippet: string
    }
    /** @description A search */
    FileSearchRequest: {
      /** @description Absolute, or ~/x in the home directory */
      path: string
      /** @description Regular expression (RE2), matched line by line; omitted: list the files */
      pattern?: string
      /** @description Only these files, such as *.{ts,js} */
      glob?: string
      /** @description Ignore case */
      ignore_case?: boolean
      /** @description Lines around a match (default: 0) */
      context?: number
      /** @description Number of matches (default: 100) */
      limit?: number
      /** @description What the kernel lets the command write: none: everything that its user may; read-only: nothing; workspace-write: its workspace (default: the setting sandbox) */
      sandbox?: components['schemas']['SandboxName']
    }
    /** @description The lines or files that a search found */
    FileSearchResult: {
      /** @description Where the search started; the paths in text are relative to it */
      path: string
      /** @description path:line:text for each match; without a pattern: one path a line */
      text: string
      /** @description Number of matching lines, or of files */
      found: number
      /** @description Number of files that were searched */
      files: number
      /** @description Number of files and directories that could not be read or were too large */
      skipped: number
      /** @description Whether it stopped at a limit: there may be more */
      truncated: boolean
    }
    /** @description A patch of several files */
    FilePatchRequest: {
      /** @description A unified diff, or a patch from *** Begin Patch to *** End Patch */
      patch: string
      /** @description The absolute directory of the relative paths in the patch */
      directory?: string
      /** @description What the kernel lets the command write: none: everything that its user may; read-only: nothing; workspace-write: its workspace (default: the setting sandbox) */
      sandbox?: components['schemas']['SandboxName']
    }
    /** @description The files that a patch has changed */
    FilePatchResult: {
      /**
       * @description All files have been changed
       * @enum {string}
       */
      status: 'completed'
      /** @description The files in the order of the patch */
      files: {
        /** @description The path with its links resolved; of a moved file: the new one */
        path: string
        /**
         * @description What happened to the file
         * @enum {string}
         */
        action: 'added' | 'updated' | 'deleted' | 'moved'
        /** @description The new hash; null: deleted */
        hash: string | null
      }[]
      /** @description A line for each file */
      text: string
    }
    /** @description The state of the service; without a token only status and version */
    Health: {
      /**
       * @description stopping: the service accepts no new commands
       * @enum {string}
       */
      status: 'ok' | 'stopping'
      /** @description The version of the service */
      version: string
      /** @description Name of the machine: the model of a phone, otherwise the host name */
      name?: string
      /** @description The platform, as Node calls it: android or linux */
      platform?: string
      /** @description The version of Node */
      node?: string
      /** @description How long the service has run, in seconds */
      uptime_seconds?: number
      /** @description How long the machine has been suspended since the service started, in seconds */
      slept_seconds?: number
      /** @description Resident set size of the service, in bytes */
      memory_bytes?: number
      /** @description The slots of foreground commands */
      pool?: {
        /** @description Commands that are running */
        running: number
        /** @description The limit on running commands */
        max_running: number
        /** @description Commands that wait for a slot */
        queued: number
        /** @description The limit on waiting commands */
        max_queued: number
      }
      /** @description How many approval requests wait for a person; their commands hold no slot */
      pending_approvals?: number
      /** @description What starts the commands */
      spawner?: {
        /** @description Its name: launcher, or the one that replaces it */
        name: string
        /** @description Why this one */
        reason: string
      }
      /** @description The sandboxes of this system */
      sandbox?: {
        /** @description The sandboxes that this system can enforce */
        available: string[]
        /** @description Why others are not available; null: all are */
        reason: string | null
      }
      /** @description The terminals of this system */
      terminal?: {
        /** @description Whether a run can have a terminal */
        available: boolean
        /** @description Why not; null: it can */
        reason: string | null
        /** @description The owner's shell, for interactive use */
        shell: string
      }
      /** @description The connection to the fleet; absent without one */
      fleet?: {
        /** @description The name of this phone in the fleet */
        name: string
        /** @description Whether it is connected to the broker */
        connected: boolean
        /** @description When the current state began, as ISO 8601 in UTC; null: it has never been connected */
        since: string | null
        /** @description The address of the broker; null: not connected */
        server: string | null
        /** @description The error of the last attempt */
        trouble: string | null
        /** @description Requests in progress */
        open: number
        /** @description Requests since the service started */
        requests: number
        /** @description Requests that it refused, such as those with a wrong signature */
        refused: number
        /** @description Parts of responses that it sent */
        parts: number
        /** @description How often the connection was restored */
        reconnects: number
      }
      /** @description What to fix, one sentence each */
      warnings?: string[]
    }
    /** @description The result of one check */
    CheckResult: {
      /** @description What was checked */
      name: string
      /**
       * @description ok; warning: it works, with a risk; error: something does not work; skipped: not checked here
       * @enum {string}
       */
      status: 'ok' | 'warning' | 'error' | 'skipped'
      /** @description The current state, in a sentence */
      found: string
      /** @description Why it matters */
      why: string
      /** @description How to fix it; for ok: advice about conditions that the service cannot check */
      fix: string | null
    }
    /** @description Problems of this machine, why they matter and how to fix them */
    DoctorReport: {
      /**
       * @description The worst status of all checks
       * @enum {string}
       */
      status: 'ok' | 'warning' | 'error' | 'skipped'
      /** @description Every check */
      checks: components['schemas']['CheckResult'][]
    }
    /** @description Battery, network and storage, at most a minute old */
    PhoneStatus: {
      /** @description When these data were read, as ISO 8601 in UTC */
      looked_at: string
      /** @description The battery; null: the device has no battery, or it could not be read (see missing) */
      battery: {
        /** @description Charge, 0 to 100 */
        percent: number
        /** @description CHARGING, DISCHARGING, FULL, NOT_CHARGING */
        status: string | null
        /** @description UNPLUGGED, PLUGGED_AC, PLUGGED_USB, PLUGGED_WIRELESS */
        plugged: string | null
        /** @description GOOD, OVERHEAT, COLD, DEAD … */
        health: string | null
        /** @description Temperature in degrees Celsius */
        temperature_celsius: number | null
      } | null
      /** @description The Wi-Fi connection; null: none, or it could not be read (see missing) */
      wifi: {
        /** @description null: Android reveals it only with the location permission */
        ssid: string | null
        /** @description Signal strength in dBm; nearer to 0 is stronger */
        signal_dbm: number | null
        /** @description Speed of the link in Mbit/s */
        link_mbps: number | null
      } | null
      /** @description The machine's addresses on its networks, the one nearest to other machines first */
      addresses: string[]
      /** @description Where the service can be reached, the most likely first; only loopback: from this machine alone */
      urls: string[]
      /** @description The file systems of the home directory and of shared storage */
      storage: {
        /** @description A directory on this file system */
        path: string
        /** @description Free space in bytes */
        free_bytes: number
        /** @description Size in bytes */
        total_bytes: number
      }[]
      /** @description The data that could not be read, and why, one sentence each */
      missing: string[]
    }
    /** @description The load of the service at one moment, or in one minute */
    LoadSample: {
      /** @description When it, or the last sample of the minute, was taken, as ISO 8601 in UTC */
      at: string
      /** @description Commands that were running; for a minute, the highest number */
      running: number
      /** @description Commands that waited for a slot; for a minute, the highest number */
      queued: number
      /** @description Runs started since the previous sample; for a minute, the sum */
      begun: number
      /** @description Resident set size of the service, in bytes; for a minute, the last one */
      memory_bytes: number
      /** @description How late a timer of the event loop fired, in milliseconds; for a minute, the highest number */
      lag_ms: number
    }
    /** @description A setting with its value, default and source */
    Setting: {
      /** @description Its key in config.yaml */
      name: string
      /** @description The current value */
      value: unknown
      /** @description The default */
      default: unknown
      /**
       * @description The source of the value; preset: the preset that the setting policy selects
       * @enum {string}
       */
      source: 'default' | 'preset' | 'config.yaml' | 'environment' | 'flags'
      /** @description The value in config.yaml that takes effect at the next start; absent: the current value stays */
      waiting?: unknown
      /** @description Whether a change in config.yaml applies at once, without a restart */
      live: boolean
      /** @description The allowed values */
      expected: string
      /** @description The unit of the value; empty: none */
      unit: string
      /** @description What it does */
      meaning: string
    }
    /** @description The reply of an agent's own tool */
    DialectAnswer: {
      /** @description The name of the tool */
      tool: string
      /** @description The id of the run; null: the tool refused its arguments */
      run_id: string | null
      /** @description Whether the tool reports an error to its model */
      is_error: boolean
      /** @description The exit code of the command; absent if it has none */
      exit_code?: number
      /** @description Why the command did not run: validation_error, forbidden (denied), execution_error … */
      error_type?: string
      /** @description The reply in the tool's own text format */
      output: string
    }
    /** @description Output, under agent-world's name for it */
    ToolStreamEvent: {
      /**
       * @description The kind of message
       * @enum {string}
       */
      type: 'tool-stream'
      /** @description The id of the run */
      id: string
      /**
       * @description The stream of this piece
       * @enum {string}
       */
      stream: 'stdout' | 'stderr'
      /** @description Offset of this piece in its stream, in bytes */
      offset: number
      /** @description The offset to resume from after this piece */
      next_offset: number
      /** @description The piece, in the encoding of this event */
      data: string
      /**
       * @description How output (and the data of stdin) is encoded as text; base64 keeps every byte (default: utf8)
       * @enum {string}
       */
      encoding: 'utf8' | 'base64'
    }
    /** @description The result of an agent's own tool; the last event */
    DialectResultEvent: {
      /**
       * @description The kind of message
       * @enum {string}
       */
      type: 'result'
      /** @description The id of the run */
      id: string
      /** @description The name of the tool */
      tool: string
      /** @description The id of the run; null: the tool refused its arguments */
      run_id: string | null
      /** @description Whether the tool reports an error to its model */
      is_error: boolean
      /** @description The exit code of the command; absent if it has none */
      exit_code?: number
      /** @description Why the command did not run: validation_error, forbidden (denied), execution_error … */
      error_type?: string
      /** @description The reply in the tool's own text format */
      output: string
    }
    /** @description The data of an event; the event name is the type */
    StreamedDialectEvent:
      | components['schemas']['StatusEvent']
      | components['schemas']['NoteEvent']
      | components['schemas']['OutputEvent']
      | components['schemas']['ToolStreamEvent']
      | components['schemas']['DialectResultEvent']
      | components['schemas']['ErrorEvent']
    /** @description An error of JSON-RPC 2.0 */
    JsonRpcError: {
      /**
       * @description The version of JSON-RPC
       * @enum {string}
       */
      jsonrpc: '2.0'
      /** @description The id of the request; null: unknown */
      id: string | number | null
      /** @description What is wrong */
      error: {
        /** @description The code of the error in JSON-RPC or MCP */
        code: number
        /** @description What happened, for people */
        message: string
        /** @description More about the error */
        data?: unknown
      }
    }
    /** @description The result of one rule of one guard */
    Finding: {
      /** @description The guard that the rule belongs to, such as catastrophic */
      guard: string
      /** @description allow: the command runs; ask: it runs if a person approves it; deny: it does not run */
      verdict: components['schemas']['Verdict']
      /** @description How much damage the command could do, as the policy estimates it */
      risk: components['schemas']['Risk']
      /** @description The name of the rule; null: none of the guard applied */
      rule: string | null
      /** @description The simple command that it judged; null: the whole script */
      command: string | null
      /** @description Why, in a sentence for the person or the model */
      reason: string | null
    }
    /** @description A script file that the command runs */
    ScriptFile: {
      /** @description The path of the file */
      path: string
      /** @description SHA-256 of the file when the policy decided, in hexadecimal */
      sha256: string
    }
    /** @description A file that a file tool would change */
    FileChange: {
      /** @description The path of the file */
      path: string
      /** @description The hash of the content now; null: no such file */
      before: string | null
      /** @description The hash of the content afterwards; null: the file is removed */
      after: string | null
      /** @description The change as a unified diff */
      diff: string
      /** @description Whether the diff shows the whole change */
      complete: boolean
    }
    /** @description A command that waits for the answer of a person, complete and unredacted */
    PendingApproval: {
      /** @description The id of the approval request, for POST /approvals/:id */
      id: string
      /** @description The id of the run that waits */
      run_id: string
      /** @description The shell command */
      command: string
      /** @description The directory in which it starts */
      working_directory: string
      /** @description The dialect of the request; oneclaw for POST /exec */
      dialect: string
      /** @description The name of the token, or owner */
      token: string
      /** @description What the kernel lets the command write: none: everything that its user may; read-only: nothing; workspace-write: its workspace (default: the setting sandbox) */
      sandbox: components['schemas']['SandboxName']
      /** @description Whether the sandbox allows the network */
      network: boolean
      /** @description Directories that the sandbox leaves writable */
      writable: string[]
      /** @description Script files that the command runs */
      files: components['schemas']['ScriptFile'][]
      /** @description The id of that token */
      token_id?: string
      /** @description The variables that the request adds */
      env: {
        [key: string]: string
      }
      /** @description The session in which the command would run */
      session?: {
        /** @description The name of the session */
        name: string
        /** @description The variables of env that come from the session */
        set: string[]
        /** @description The variables that the session has removed */
        unset: string[]
      }
      /** @description The first part of stdin, with the size and SHA-256 of the whole; "open": the client sends stdin during the run */
      stdin:
        | {
            /** @description The first part of stdin */
            text: string
            /** @description The size of all of stdin */
            bytes: number
            /** @description SHA-256 of all of stdin, in hexadecimal */
            sha256: string
          }
        | 'open'
        | null
      /** @description The files that a file tool would change */
      changes?: components['schemas']['FileChange'][]
      /** @description The rule that asks */
      rule: string | null
      /** @description Why it asks, in a sentence */
      reason: string | null
      /** @description How much damage the command could do, as the policy estimates it */
      risk: components['schemas']['Risk'] | null
      /** @description When the command was requested, as ISO 8601 in UTC */
      requested_at: string
      /** @description When it counts as denied if nobody answers, as ISO 8601 in UTC */
      expires_at: string
      /** @description The rule that an answer with scope always would save; null: it saves no rule, because stdin stays open or the answer is bound to one change of a file */
      always: {
        /** @description Which later requests the rule would approve, in a sentence */
        covers: string
        /** @description When the rule would expire, as ISO 8601 in UTC */
        expires_at: string
      } | null
    }
    /** @description A saved approval: identical requests are approved until it expires or is revoked */
    SavedRule: {
      /** @description The id of the rule, for DELETE /approvals/rules/:id */
      id: string
      /** @description The shell command */
      command: string
      /** @description The directory in which it starts */
      working_directory: string
      /** @description The dialect of the request; oneclaw for POST /exec */
      dialect: string
      /** @description The name of the token, or owner */
      token: string
      /** @description What the kernel lets the command write: none: everything that its user may; read-only: nothing; workspace-write: its workspace (default: the setting sandbox) */
      sandbox: components['schemas']['SandboxName']
      /** @description Whether the sandbox allows the network */
      network: boolean
      /** @description Directories that the sandbox leaves writable */
      writable: string[]
      /** @description Script files that the command runs */
      files: components['schemas']['ScriptFile'][]
      /** @description The names of the variables that the request adds */
      env_names: string[]
      /** @description SHA-256 of stdin; null: no stdin, in hexadecimal */
      stdin_sha256: string | null
      /** @description The rule of the policy that asked */
      rule: string | null
      /** @description The token of the person who approved */
      by: string
      /** @description How the answer arrived: http, websocket, cli, notification … */
      how: string
      /** @description When it was approved, as ISO 8601 in UTC */
      created_at: string
      /** @description When the rule expires, as ISO 8601 in UTC */
      expires_at: string
    }
    /** @description How the approval request was decided */
    ApprovalAnswer: {
      /** @description approved; denied; timeout: nobody answered; withdrawn: the run was canceled; full: too many requests are pending; closed: the service is stopping; nobody: nobody can answer */
      outcome: string
      /** @description The token of the person who answered; null: no person did */
      by: string | null
      /** @description How the answer arrived: http, websocket, cli, notification … */
      how: string | null
      /** @description When the request was decided, as ISO 8601 in UTC */
      at: string
      /** @description once: for this run; always: saved for identical requests; null: nobody answered */
      scope: string | null
      /** @description The id of the saved rule that answered, or that the answer created */
      saved_rule: string | null
      /** @description Whether the command may run */
      approved: boolean
    }
    /** @description A named token and its rights, without its secret */
    Token: {
      /** @description Identifies the owner of runs, keys and approval requests; a new token with the same name has another id */
      id: string
      /** @description What uses it, such as an agent or a browser: 1 to 64 letters, digits, dots, underscores and hyphens */
      name: string
      /**
       * @description The approval requests that it may answer. none: no requests; own: those of its own commands, by MCP elicitation (the client asks its user and reports the answer, so it must not answer on its own); all: every request, because its holder is a person, who may also create and revoke tokens
       * @enum {string}
       */
      approves: 'none' | 'own' | 'all'
      /**
       * @description The runs that it can read and cancel; all: it can also list the sessions and webhooks of all tokens
       * @enum {string}
       */
      read: 'own' | 'all'
      /** @description Whether it may open a terminal */
      shell: boolean
      /**
       * @description The access that it has to /files; the policy controls what its commands do to files
       * @enum {string}
       */
      files: 'none' | 'read' | 'write'
      /** @description Whether its MCP client may answer an elicitation within a second; otherwise such a fast answer is ignored, because no person can have given it */
      instant_answers: boolean
      /** @description A preset that applies to its commands in addition to the owner's settings; the stricter decision wins */
      policy: ('open' | 'guarded' | 'supervised' | 'strict') | null
      /** @description The dialect whose tool POST /mcp offers to this token, instead of the service's own tools */
      dialect: string | null
      /** @description Addresses or CIDR networks from which it may be used, at most 32; empty: anywhere */
      addresses: string[]
      /** @description When it was created, as ISO 8601 in UTC */
      created_at: string
      /** @description When it expires; null: never, as ISO 8601 in UTC */
      expires_at: string | null
      /** @description It expires after this many days without use; null: only at a fixed time, or never */
      idle_days: number | null
      /** @description When it was last used; null: never, as ISO 8601 in UTC */
      last_used_at: string | null
      /** @description The address from which it was last used */
      last_used_from?: string
    }
    /** @description A new token; omitted rights get the least, except files, which gets write */
    TokenInput: {
      /** @description What uses it, such as an agent or a browser: 1 to 64 letters, digits, dots, underscores and hyphens */
      name: string
      /**
       * @description The approval requests that it may answer. none: no requests; own: those of its own commands, by MCP elicitation (the client asks its user and reports the answer, so it must not answer on its own); all: every request, because its holder is a person, who may also create and revoke tokens
       * @enum {string}
       */
      approves?: 'none' | 'own' | 'all'
      /**
       * @description The runs that it can read and cancel; all: it can also list the sessions and webhooks of all tokens
       * @enum {string}
       */
      read?: 'own' | 'all'
      /** @description Whether it may open a terminal */
      shell?: boolean
      /**
       * @description The access that it has to /files; the policy controls what its commands do to files
       * @enum {string}
       */
      files?: 'none' | 'read' | 'write'
      /** @description Whether its MCP client may answer an elicitation within a second; otherwise such a fast answer is ignored, because no person can have given it */
      instant_answers?: boolean
      /** @description A preset that applies to its commands in addition to the owner's settings; the stricter decision wins */
      policy?: ('open' | 'guarded' | 'supervised' | 'strict') | null
      /** @description The dialect whose tool POST /mcp offers to this token, instead of the service's own tools */
      dialect?: string | null
      /** @description Addresses or CIDR networks from which it may be used, at most 32; empty: anywhere */
      addresses?: string[]
      /** @description Expire after this many days (default: never) */
      expires_in_days?: number
      /** @description Expire after this many days without use; each use renews it (default: never, for a paired device 90) */
      idle_days?: number
    }
    /** @description The token with its secret */
    NewToken: {
      /** @description Identifies the owner of runs, keys and approval requests; a new token with the same name has another id */
      id: string
      /** @description What uses it, such as an agent or a browser: 1 to 64 letters, digits, dots, underscores and hyphens */
      name: string
      /**
       * @description The approval requests that it may answer. none: no requests; own: those of its own commands, by MCP elicitation (the client asks its user and reports the answer, so it must not answer on its own); all: every request, because its holder is a person, who may also create and revoke tokens
       * @enum {string}
       */
      approves: 'none' | 'own' | 'all'
      /**
       * @description The runs that it can read and cancel; all: it can also list the sessions and webhooks of all tokens
       * @enum {string}
       */
      read: 'own' | 'all'
      /** @description Whether it may open a terminal */
      shell: boolean
      /**
       * @description The access that it has to /files; the policy controls what its commands do to files
       * @enum {string}
       */
      files: 'none' | 'read' | 'write'
      /** @description Whether its MCP client may answer an elicitation within a second; otherwise such a fast answer is ignored, because no person can have given it */
      instant_answers: boolean
      /** @description A preset that applies to its commands in addition to the owner's settings; the stricter decision wins */
      policy: ('open' | 'guarded' | 'supervised' | 'strict') | null
      /** @description The dialect whose tool POST /mcp offers to this token, instead of the service's own tools */
      dialect: string | null
      /** @description Addresses or CIDR networks from which it may be used, at most 32; empty: anywhere */
      addresses: string[]
      /** @description When it was created, as ISO 8601 in UTC */
      created_at: string
      /** @description When it expires; null: never, as ISO 8601 in UTC */
      expires_at: string | null
      /** @description It expires after this many days without use; null: only at a fixed time, or never */
      idle_days: number | null
      /** @description When it was last used; null: never, as ISO 8601 in UTC */
      last_used_at: string | null
      /** @description The address from which it was last used */
      last_used_from?: string
      /** @description The secret, for Authorization: Bearer; returned only this once */
      token: string
    }
    /** @description An open connection of a client */
    Connection: {
      /** @description The name of the token, or owner */
      token: string
      /** @description The address of the client */
      address: string
      /**
       * @description What it is used for
       * @enum {string}
       */
      kind: 'http' | 'websocket'
      /** @description When it was opened, as ISO 8601 in UTC */
      opened_at: string
    }
    /** @description The rights of the token, or of the token that the pairing code grants */
    GrantedRights: {
      /**
       * @description The approval requests that it may answer. none: no requests; own: those of its own commands, by MCP elicitation (the client asks its user and reports the answer, so it must not answer on its own); all: every request, because its holder is a person, who may also create and revoke tokens
       * @enum {string}
       */
      approves: 'none' | 'own' | 'all'
      /**
       * @description The runs that it can read and cancel; all: it can also list the sessions and webhooks of all tokens
       * @enum {string}
       */
      read: 'own' | 'all'
      /** @description Whether it may open a terminal */
      shell: boolean
      /**
       * @description The access that it has to /files; the policy controls what its commands do to files
       * @enum {string}
       */
      files: 'none' | 'read' | 'write'
      /** @description A preset that applies to its commands in addition to the owner's settings; the stricter decision wins */
      policy: ('open' | 'guarded' | 'supervised' | 'strict') | null
    }
    /** @description Something that changed or used the rights to this service */
    AccessEvent: {
      /** @description When it happened, as ISO 8601 in UTC */
      at: string
      /**
       * @description What happened. wrong_token, wrong_code: a failed sign-in; token_edited: added, removed or changed in tokens.json; rule_revoked: a saved approval
       * @enum {string}
       */
      what:
        | 'code_created'
        | 'paired'
        | 'token_created'
        | 'token_rotated'
        | 'token_revoked'
        | 'token_expired'
        | 'token_edited'
        | 'approved'
        | 'denied'
        | 'rule_revoked'
        | 'wrong_token'
        | 'wrong_code'
      /** @description The token that it concerns; for an answer, the token that sent the command */
      token: string | null
      /** @description The token that did it */
      by: string | null
      /** @description How an answer arrived, such as http */
      how: string | null
      /** @description The address of the client */
      from: string | null
      /** @description The run that an answer concerns */
      run_id: string | null
      /** @description Whether the answer was saved for identical requests */
      is_saved: boolean
      /** @description The rights of the token, or of the token that the pairing code grants */
      rights: components['schemas']['GrantedRights'] | null
      /** @description The number of wrong tokens or codes from this address, each within an hour of the one before; at is the time of the last */
      attempts: number | null
    }
  }
  responses: never
  parameters: never
  requestBodies: never
  headers: never
  pathItems: never
}
export type $defs = Record<string, never>
export interface operations {
  exec: {
    parameters: {
      query?: never
      header?: {
        /** @description The same key and body return the same run; 1 to 255 visible ASCII characters */
        'idempotency-key'?: string
        /** @description respond-async: the same as "background": true (RFC 7240) */
        prefer?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        /**
         * @example {
         *       "command": "uname -a"
         *     }
         */
        'application/json': components['schemas']['ExecRequest']
        /** @example uname -a */
        'text/plain': string
      }
    }
    responses: {
      /** @description The command ran */
      200: {
        headers: {
          /** @description The id of the run */
          'Run-Id'?: string
          /** @description The exit code of the command; -1 if it has none */
          'Exit-Code'?: number
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "id": "01k7g7y3sgv0m2q4t8j6x1n5zb",
           *       "token": "owner",
           *       "token_id": "owner",
           *       "dialect": "oneclaw",
           *       "via": "POST /exec",
           *       "status": "completed",
           *       "exit_code": 0,
           *       "signal": null,
           *       "timed_out": false,
           *       "stdout": "Linux localhost 6.1.99 aarch64 Android\n",
           *       "stderr": "",
           *       "stdout_bytes": 39,
           *       "stderr_bytes": 0,
           *       "truncated": false,
           *       "output": "[Exit Code: 0]\nLinux localhost 6.1.99 aarch64 Android\n",
           *       "command": "uname -a",
           *       "working_directory": "/home/you",
           *       "timeout_seconds": 30,
           *       "max_length": 50000,
           *       "sandbox": "none",
           *       "decision": {
           *         "verdict": "allow",
           *         "rule": null,
           *         "reason": null,
           *         "risk": "low"
           *       },
           *       "queued_ms": 0,
           *       "duration_ms": 21,
           *       "started_at": "2026-01-31T10:20:30.400Z",
           *       "ended_at": "2026-01-31T10:20:30.421Z",
           *       "left_behind": {
           *         "ended": 0,
           *         "survivors": []
           *       },
           *       "artifacts": [],
           *       "notes": [],
           *       "stdout_sha256": "2d5327629b3969efc085d4970a9558030bee187611b8238dc2c983036d75fdf2",
           *       "stderr_sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
           *     }
           */
          'application/json': components['schemas']['ExecRecord']
          'text/plain': string
          'application/octet-stream': string
          'text/event-stream': components['schemas']['StreamedEvent']
        }
      }
      /** @description The command runs in the background */
      202: {
        headers: {
          /** @description The path of the run */
          Location?: string
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "id": "01k7g7y3sgv0m2q4t8j6x1n5zb",
           *       "status": "starting"
           *     }
           */
          'application/json': {
            /** @description The id of the run */
            id: string
            /** @description queued, starting, running, then one final status: completed (exit code 0), failed (another exit code or a signal), timed_out, canceled or denied */
            status: components['schemas']['RunStatus']
          }
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description The command was denied: its record, with decision.rule and decision.reason. Otherwise an error: forbidden (the token lacks a right, such as shell for tty), forbidden_origin or forbidden_host (a foreign Origin or Host), or tls_required (plain HTTP from another machine) */
      403: {
        headers: {
          /** @description The id of the run */
          'Run-Id'?: string
          /** @description The exit code of the command; -1 if it has none */
          'Exit-Code'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ExecRecord'] | components['schemas']['Error']
          'text/plain': string
          'application/octet-stream': string
          'text/event-stream': components['schemas']['StreamedEvent']
        }
      }
      /** @description conflict: the Idempotency-Key was used with another body, or there are too many sessions */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description expired: the Idempotency-Key belongs to a run whose record has been deleted */
      410: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description too_large: the body exceeds its limit, which the message names */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type: the route does not accept this Content-Type */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: the shell could not be started, or an internal error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description pool_full: all slots and the queue are full; sandbox_unavailable, terminal_unavailable: this system has none */
      503: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  leaveExec: {
    parameters: {
      query?: never
      header: {
        /** @description The same key and body return the same run; 1 to 255 visible ASCII characters */
        'idempotency-key': string
      }
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Whether the run is being canceled, or had already ended */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "outcome": "cancel_requested"
           *     }
           */
          'application/json': {
            /**
             * @description cancel_requested: the run ends within the grace period; already_finished: there was nothing to do
             * @enum {string}
             */
            outcome: 'cancel_requested' | 'already_finished'
          }
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: the token lacks the right; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found: no live run of this token has the Idempotency-Key */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict: the run with the Idempotency-Key is in the background; cancel it with DELETE /runs/{id} */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  openSocket: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Switched to a WebSocket */
      101: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: the token lacks the right; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  listRuns: {
    parameters: {
      query?: {
        /** @description Only runs with this status; live: runs that have not ended */
        status?: components['schemas']['RunStatus'] | 'live'
        /** @description Only runs whose command or id contains this text */
        q?: string
        /** @description At most this many (default: 50) */
        limit?: number
        /** @description Only runs older than this id */
        before?: string
        /** @description true: only runs that this token has started (default: false, all that it can read) */
        own?: 'true' | 'false'
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The newest runs that fit the query */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "runs": [
           *         {
           *           "id": "01k7g7y3sgv0m2q4t8j6x1n5zb",
           *           "token": "owner",
           *           "token_id": "owner",
           *           "dialect": "oneclaw",
           *           "via": "POST /exec",
           *           "status": "completed",
           *           "exit_code": 0,
           *           "signal": null,
           *           "timed_out": false,
           *           "stdout_bytes": 39,
           *           "stderr_bytes": 0,
           *           "truncated": false,
           *           "command": "uname -a",
           *           "working_directory": "/home/you",
           *           "timeout_seconds": 30,
           *           "max_length": 50000,
           *           "sandbox": "none",
           *           "decision": {
           *             "verdict": "allow",
           *             "rule": null,
           *             "reason": null,
           *             "risk": "low"
           *           },
           *           "queued_ms": 0,
           *           "duration_ms": 21,
           *           "started_at": "2026-01-31T10:20:30.400Z",
           *           "ended_at": "2026-01-31T10:20:30.421Z",
           *           "left_behind": {
           *             "ended": 0,
           *             "survivors": []
           *           },
           *           "artifacts": [],
           *           "notes": [],
           *           "stdout_sha256": "2d5327629b3969efc085d4970a9558030bee187611b8238dc2c983036d75fdf2",
           *           "stderr_sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
           *         }
           *       ]
           *     }
           */
          'application/json': components['schemas']['RunList']
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: the token lacks the right; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  getRun: {
    parameters: {
      query?: {
        /** @description How many seconds to wait for the run to end (default: 0) */
        wait_seconds?: number
      }
      header?: never
      path: {
        /** @description The id of the run */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description A run: the command, the decision about it, and its result */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "id": "01k7g7y3sgv0m2q4t8j6x1n5zb",
           *       "token": "owner",
           *       "token_id": "owner",
           *       "dialect": "oneclaw",
           *       "via": "POST /exec",
           *       "status": "completed",
           *       "exit_code": 0,
           *       "signal": null,
           *       "timed_out": false,
           *       "stdout": "Linux localhost 6.1.99 aarch64 Android\n",
           *       "stderr": "",
           *       "stdout_bytes": 39,
           *       "stderr_bytes": 0,
           *       "truncated": false,
           *       "output": "[Exit Code: 0]\nLinux localhost 6.1.99 aarch64 Android\n",
           *       "command": "uname -a",
           *       "working_directory": "/home/you",
           *       "timeout_seconds": 30,
           *       "max_length": 50000,
           *       "sandbox": "none",
           *       "decision": {
           *         "verdict": "allow",
           *         "rule": null,
           *         "reason": null,
           *         "risk": "low"
           *       },
           *       "queued_ms": 0,
           *       "duration_ms": 21,
           *       "started_at": "2026-01-31T10:20:30.400Z",
           *       "ended_at": "2026-01-31T10:20:30.421Z",
           *       "left_behind": {
           *         "ended": 0,
           *         "survivors": []
           *       },
           *       "artifacts": [],
           *       "notes": [],
           *       "stdout_sha256": "2d5327629b3969efc085d4970a9558030bee187611b8238dc2c983036d75fdf2",
           *       "stderr_sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
           *     }
           */
          'application/json': components['schemas']['ExecRecord']
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: the token lacks the right; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found: no run that this token can read has this id */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  cancelRun: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description The id of the run */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Whether the run is being canceled, or had already ended */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "outcome": "cancel_requested"
           *     }
           */
          'application/json': {
            /**
             * @description cancel_requested: the run ends within the grace period; already_finished: there was nothing to do
             * @enum {string}
             */
            outcome: 'cancel_requested' | 'already_finished'
          }
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: the token lacks the right; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found: no run that this token can read has this id */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  signalRun: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description The id of the run */
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        /**
         * @example {
         *       "signal": "SIGINT"
         *     }
         */
        'application/json': {
          /** @description A signal name from signal(7), such as SIGINT or INT */
          signal: string
        }
      }
    }
    responses: {
      /** @description The signal was sent to every process of the group */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "ok": true
           *     }
           */
          'application/json': {
            /**
             * @description The service has done it
             * @enum {boolean}
             */
            ok: true
          }
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: only the token that started the run, or a person, may do this; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found: no run that this token can read has this id */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict: the run has not started, has ended, or has no process left to signal */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description too_large: the body exceeds its limit, which the message names */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type: the route does not accept this Content-Type */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  resizeRun: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description The id of the run */
        id: string
      }
      cookie?: never
    }
    /** @description Run in a terminal of this size, in the background, with an open stdin and all output as stdout */
    requestBody: {
      content: {
        /**
         * @example {
         *       "rows": 24,
         *       "columns": 80
         *     }
         */
        'application/json': {
          /** @description Lines */
          rows: number | string
          /** @description Characters per line */
          columns: number | string
        }
      }
    }
    responses: {
      /** @description The terminal has the new size */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "ok": true
           *     }
           */
          'application/json': {
            /**
             * @description The service has done it
             * @enum {boolean}
             */
            ok: true
          }
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: only the token that started the run, or a person, may do this; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found: no run that this token can read has this id */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict: the run has not started, has ended, or was not started with "tty" */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description too_large: the body exceeds its limit, which the message names */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type: the route does not accept this Content-Type */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  getStdin: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description The id of the run */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description How much of its stdin the command has taken */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "offset": 4,
           *       "ended": false
           *     }
           */
          'application/json': components['schemas']['StdinState']
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: only the token that started the run, or a person, may do this; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found: no run that this token can read has this id */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict: the run has ended, its stdin is closed, or it was not started with "stdin": "open" */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  streamStdin: {
    parameters: {
      query?: {
        /** @description Offset of the first byte, in bytes (default: from Content-Range, or 0) */
        offset?: number
        /** @description false: stdin stays open after the body (default: true) */
        end?: 'true' | 'false'
      }
      header?: never
      path: {
        /** @description The id of the run */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description How much of its stdin the command has taken */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "ok": true,
           *       "offset": 4
           *     }
           */
          'application/json': components['schemas']['StdinTaken']
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: only the token that started the run, or a person, may do this; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found: no run that this token can read has this id */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict: the run has ended, its stdin is closed, or it was not started with "stdin": "open" */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description out_of_range: the piece begins after the last byte received; GET /runs/{id}/stdin returns the offset */
      416: {
        headers: {
          /** @description bytes *\/TOTAL: the current size */
          'Content-Range'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  feedStdin: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description The id of the run */
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        /**
         * @example {
         *       "data": "yes\n"
         *     }
         */
        'application/json': {
          /** @description The bytes for stdin, in this encoding */
          data?: string
          /**
           * @description How output (and the data of stdin) is encoded as text; base64 keeps every byte (default: utf8)
           * @enum {string}
           */
          encoding?: 'utf8' | 'base64'
          /** @description Close stdin after the data (default: false) */
          end?: boolean
          /** @description Offset of the first byte, in bytes (default: after everything received so far) */
          offset?: number | string
        }
      }
    }
    responses: {
      /** @description How much of its stdin the command has taken */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "ok": true,
           *       "offset": 4
           *     }
           */
          'application/json': components['schemas']['StdinTaken']
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: only the token that started the run, or a person, may do this; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found: no run that this token can read has this id */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict: the run has ended, its stdin is closed, or it was not started with "stdin": "open" */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description too_large: the body exceeds its limit, which the message names */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type: the route does not accept this Content-Type */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description out_of_range: the piece begins after the last byte received; GET /runs/{id}/stdin returns the offset */
      416: {
        headers: {
          /** @description bytes *\/TOTAL: the current size */
          'Content-Range'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  getOutput: {
    parameters: {
      query?: {
        /** @description The stream to read (default: stdout) */
        stream?: 'stdout' | 'stderr'
        /** @description Offset of the first byte, in bytes (default: 0) */
        offset?: number
        /** @description Number of bytes (default: all) */
        limit?: number
        /** @description true: continue with new output until the run has ended (default: false) */
        follow?: 'true' | 'false'
      }
      header?: never
      path: {
        /** @description The id of the run */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Raw bytes from the offset */
      200: {
        headers: {
          /** @description Offset of the first byte of the response */
          'Run-Offset'?: number
          /** @description How many bytes the command has written to the stream */
          'Run-Total'?: number
          /** @description Whether the response ends at the end of the stream */
          'Run-Eof'?: boolean
          [name: string]: unknown
        }
        content: {
          'application/octet-stream': string
        }
      }
      /** @description The raw bytes of the requested Range */
      206: {
        headers: {
          /** @description Offset of the first byte of the response */
          'Run-Offset'?: number
          /** @description How many bytes the command has written to the stream */
          'Run-Total'?: number
          /** @description Whether the response ends at the end of the stream */
          'Run-Eof'?: boolean
          /** @description bytes FIRST-LAST/TOTAL */
          'Content-Range'?: string
          [name: string]: unknown
        }
        content: {
          'application/octet-stream': string
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: the token lacks the right; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found: no run that this token can read has this id */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description expired: the output was deleted, or is beyond the part that was stored */
      410: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description out_of_range: the offset is beyond the end of what the command has written */
      416: {
        headers: {
          /** @description bytes *\/TOTAL: the current size */
          'Content-Range'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  getScratchpad: {
    parameters: {
      query?: {
        /** @description The stream to read (default: stdout) */
        stream?: 'stdout' | 'stderr'
        /** @description Offset of the first byte, in bytes (default: 0) */
        offset?: number
        /** @description Number of bytes (default: all) */
        limit?: number
        /** @description true: continue with new output until the run has ended (default: false) */
        follow?: 'true' | 'false'
      }
      header?: never
      path: {
        /** @description The name, as `scratchpad` in the record */
        name: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Raw bytes from the offset */
      200: {
        headers: {
          /** @description Offset of the first byte of the response */
          'Run-Offset'?: number
          /** @description How many bytes the command has written to the stream */
          'Run-Total'?: number
          /** @description Whether the response ends at the end of the stream */
          'Run-Eof'?: boolean
          [name: string]: unknown
        }
        content: {
          'application/octet-stream': string
        }
      }
      /** @description The raw bytes of the requested Range */
      206: {
        headers: {
          /** @description Offset of the first byte of the response */
          'Run-Offset'?: number
          /** @description How many bytes the command has written to the stream */
          'Run-Total'?: number
          /** @description Whether the response ends at the end of the stream */
          'Run-Eof'?: boolean
          /** @description bytes FIRST-LAST/TOTAL */
          'Content-Range'?: string
          [name: string]: unknown
        }
        content: {
          'application/octet-stream': string
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: the token lacks the right; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found: no run that this token can read has a scratchpad with this name */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description expired: the output was deleted, or is beyond the part that was stored */
      410: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description out_of_range: the offset is beyond the end of what the command has written */
      416: {
        headers: {
          /** @description bytes *\/TOTAL: the current size */
          'Content-Range'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  getEvents: {
    parameters: {
      query?: {
        /** @description Encoding of output (default: the request's while the run is live, utf8 afterwards) */
        encoding?: 'utf8' | 'base64'
      }
      header?: {
        /** @description Id of the last received event: STDOUT.STDERR in bytes */
        'last-event-id'?: string
      }
      path: {
        /** @description The id of the run */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The events of the run, one block each */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/event-stream': components['schemas']['StreamedEvent']
        }
      }
      /** @description Last-Event-ID is the id of the result, which is the last event */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: the token lacks the right; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found: no run that this token can read has this id */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description expired: the output was deleted, or is beyond the part that was stored */
      410: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description out_of_range: the offset is beyond the end of what the command has written */
      416: {
        headers: {
          /** @description bytes *\/TOTAL: the current size */
          'Content-Range'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  searchOutput: {
    parameters: {
      query: {
        /** @description Text within one line, without control characters. Case, colours and other escape sequences are ignored */
        q: string
        /** @description The stream to read (default: stdout) */
        stream?: 'stdout' | 'stderr'
        /** @description Where to start, in bytes: the next_offset of the search before (default: 0) */
        offset?: number
        /** @description At most this many lines (default: 1000) */
        limit?: number
      }
      header?: never
      path: {
        /** @description The id of the run */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The matching lines of one stream */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "matches": [
           *         {
           *           "offset": 0,
           *           "line": 0,
           *           "arrived": 0,
           *           "count": 1
           *         }
           *       ],
           *       "lines": 1,
           *       "next_offset": 4,
           *       "complete": true
           *     }
           */
          'application/json': components['schemas']['OutputMatches']
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: the token lacks the right; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found: no run that this token can read has this id */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description expired: the output was deleted, or is beyond the part that was stored */
      410: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description out_of_range: the offset is beyond the end of the output */
      416: {
        headers: {
          /** @description bytes *\/TOTAL: the current size */
          'Content-Range'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  findPosition: {
    parameters: {
      query: {
        /** @description The stream to read (default: stdout) */
        stream?: 'stdout' | 'stderr'
        /** @description An offset in the stream, in bytes */
        offset: number
      }
      header?: never
      path: {
        /** @description The id of the run */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Where both streams of a run stood at the same time */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "stdout": 4,
           *       "stderr": 0
           *     }
           */
          'application/json': components['schemas']['OutputPosition']
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: the token lacks the right; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found: no run that this token can read has this id */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description out_of_range: the offset is beyond the end of the output */
      416: {
        headers: {
          /** @description bytes *\/TOTAL: the current size */
          'Content-Range'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  getRunEvents: {
    parameters: {
      query?: {
        /** @description Only these types, separated by commas: run.asked, run.answered, run.ended (default: all) */
        types?: string
      }
      header?: {
        /** @description The id of the last event received: the stream continues after it */
        'last-event-id'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The events of the runs that the token can read, one block each */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/event-stream': components['schemas']['WakeEvent']
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: the token lacks the right; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description expired: the history does not have all events since Last-Event-ID; list the runs instead */
      410: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description pool_full: too many event streams are open */
      503: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  listWebhooks: {
    parameters: {
      query?: {
        /** @description true: those of all tokens, if this token may read all runs (default: false, only its own) */
        all?: 'true' | 'false'
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The webhooks and subscriptions of the token, or of all tokens with only the origin of each URL, without their secrets */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "webhooks": [
           *         {
           *           "name": "agent",
           *           "token": "codex",
           *           "url": "https://agent.example/shellphone",
           *           "types": [
           *             "run.ended"
           *           ],
           *           "session": null,
           *           "created_at": "2026-01-31T10:20:30.400Z",
           *           "expires_at": null,
           *           "status": "active",
           *           "waiting": 0,
           *           "dropped": 0,
           *           "deliveries": []
           *         }
           *       ]
           *     }
           */
          'application/json': {
            /** @description The webhooks, in order of creation */
            webhooks: components['schemas']['Webhook'][]
          }
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: with all=true, the token must have the right read: all; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  getWebhook: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description Its name: 1 to 64 letters, digits, dots, underscores and hyphens; each token has its own names */
        name: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description A webhook of a token, without its secret */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "name": "agent",
           *       "token": "codex",
           *       "url": "https://agent.example/shellphone",
           *       "types": [
           *         "run.ended"
           *       ],
           *       "session": null,
           *       "created_at": "2026-01-31T10:20:30.400Z",
           *       "expires_at": null,
           *       "status": "active",
           *       "waiting": 0,
           *       "dropped": 0,
           *       "deliveries": []
           *     }
           */
          'application/json': components['schemas']['Webhook']
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: the token lacks the right; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found: no webhook of this token has this name */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  putWebhook: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description Its name: 1 to 64 letters, digits, dots, underscores and hyphens; each token has its own names */
        name: string
      }
      cookie?: never
    }
    /** @description A webhook to create or to change */
    requestBody: {
      content: {
        /**
         * @example {
         *       "url": "https://hooks.example.com/runs",
         *       "types": [
         *         "run.ended"
         *       ]
         *     }
         */
        'application/json': {
          /** @description Where to POST the events: HTTPS to a public address, or a host in the setting webhook_hosts */
          url: string
          /** @description The types of events to send (default: all) */
          types?: ('run.asked' | 'run.answered' | 'run.ended')[]
          /** @description Send only events of runs in this session of the token (default: of all runs that it may read) */
          session?: string
          /** @description Make a new secret; for 24 h events are signed with the old one, too (default: false) */
          rotate_secret?: boolean
        }
      }
    }
    responses: {
      /** @description The webhook is changed; secret is null unless it is new */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "webhook": {
           *         "name": "agent",
           *         "token": "codex",
           *         "url": "https://agent.example/shellphone",
           *         "types": [
           *           "run.ended"
           *         ],
           *         "session": null,
           *         "created_at": "2026-01-31T10:20:30.400Z",
           *         "expires_at": null,
           *         "status": "active",
           *         "waiting": 0,
           *         "dropped": 0,
           *         "deliveries": []
           *       },
           *       "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwVrzQ2gmBMgw="
           *     }
           */
          'application/json': components['schemas']['PutWebhook']
        }
      }
      /** @description The webhook is created; this is the only response with its secret */
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "webhook": {
           *         "name": "agent",
           *         "token": "codex",
           *         "url": "https://agent.example/shellphone",
           *         "types": [
           *           "run.ended"
           *         ],
           *         "session": null,
           *         "created_at": "2026-01-31T10:20:30.400Z",
           *         "expires_at": null,
           *         "status": "active",
           *         "waiting": 0,
           *         "dropped": 0,
           *         "deliveries": []
           *       },
           *       "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwVrzQ2gmBMgw="
           *     }
           */
          'application/json': components['schemas']['PutWebhook']
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: the token lacks the right; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict: the token already has eight webhooks and subscriptions, or the name is that of a subscription */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description too_large: the body exceeds its limit, which the message names */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type: the route does not accept this Content-Type */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  deleteWebhook: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description Its name: 1 to 64 letters, digits, dots, underscores and hyphens; each token has its own names */
        name: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The webhook is deleted */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: the token lacks the right; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found: no webhook of this token has this name */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  listSessions: {
    parameters: {
      query?: {
        /** @description true: those of all tokens, if this token may read all runs (default: false, only its own) */
        all?: 'true' | 'false'
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The sessions of this token, or of all tokens; a new token has none */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "sessions": [
           *         {
           *           "name": "build",
           *           "token": "codex",
           *           "cwd": "/home/you/project",
           *           "set": [
           *             "CC"
           *           ],
           *           "unset": [],
           *           "lost": [],
           *           "revision": 3,
           *           "busy": false,
           *           "waiting": 0,
           *           "used_at": "2026-01-31T10:20:30.400Z",
           *           "expires_at": "2026-02-01T10:20:30.400Z"
           *         }
           *       ]
           *     }
           */
          'application/json': {
            /** @description The sessions, by name */
            sessions: components['schemas']['SessionInfo'][]
          }
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: with all=true, the token must have the right read: all; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  getSession: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description A session of this token, created by its first use: the command starts in the directory and with the exported variables of the last one */
        name: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description A session of a token, without the values of its variables */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "name": "build",
           *       "token": "codex",
           *       "cwd": "/home/you/project",
           *       "set": [
           *         "CC"
           *       ],
           *       "unset": [],
           *       "lost": [],
           *       "revision": 3,
           *       "busy": false,
           *       "waiting": 0,
           *       "used_at": "2026-01-31T10:20:30.400Z",
           *       "expires_at": "2026-02-01T10:20:30.400Z"
           *     }
           */
          'application/json': components['schemas']['SessionInfo']
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: the token lacks the right; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found: this token has no session with this name: it is new, deleted, or was unused for 24 hours */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  deleteSession: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description A session of this token, created by its first use: the command starts in the directory and with the exported variables of the last one */
        name: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The session is deleted */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: the token lacks the right; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found: this token has no session with this name: it is new, deleted, or was unused for 24 hours */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  getFile: {
    parameters: {
      query: {
        /** @description An absolute path without .., or ~/x for one in the home directory */
        path: string
        /** @description What the kernel lets the command write: none: everything that its user may; read-only: nothing; workspace-write: its workspace (default: the setting sandbox) */
        sandbox?: components['schemas']['SandboxName']
        /** @description For a directory: only names after this one (default: all) */
        after?: string
        /** @description For a directory: at most this many names (default: 1000) */
        limit?: number
        /** @description FIRST-LAST, FIRST- or one number: these lines of a text file as JSON, with its hash; at most 10 000 lines */
        lines?: string
      }
      header?: {
        /** @description Only if the file has one of these ETags */
        'if-match'?: string
        /** @description Only if the file has none of these ETags; *: only if there is no file */
        'if-none-match'?: string
        /** @description bytes=FIRST-LAST: only these bytes */
        range?: string
        /** @description Apply Range only if the file has this ETag */
        'if-range'?: string
        /** @description application/x-tar: a directory as an archive */
        accept?: string
      }
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The whole file */
      200: {
        headers: {
          /** @description The id of the run that records the transfer */
          'Run-Id'?: string
          /** @description Changes when the file changes or is replaced */
          ETag?: string
          /** @description When its content last changed */
          'Last-Modified'?: string
          /** @description Permissions, octal */
          'File-Mode'?: string
          [name: string]: unknown
        }
        content: {
          'application/octet-stream': unknown
          /**
           * @example {
           *       "path": "/home/you",
           *       "entries": [
           *         {
           *           "name": "shellphone-demo.txt",
           *           "type": "file",
           *           "bytes": 4,
           *           "mode": "0644",
           *           "modified_at": "2026-01-31T10:20:30.400Z",
           *           "etag": "\"1e68-2ctlz-4-dn5ngx-dn5ngx\""
           *         }
           *       ],
           *       "next": null
           *     }
           */
          'application/json': components['schemas']['FileList'] | components['schemas']['FileReadResult']
          'application/x-tar': unknown
        }
      }
      /** @description The requested range */
      206: {
        headers: {
          /** @description The id of the run that records the transfer */
          'Run-Id'?: string
          /** @description Changes when the file changes or is replaced */
          ETag?: string
          /** @description When its content last changed */
          'Last-Modified'?: string
          /** @description Permissions, octal */
          'File-Mode'?: string
          /** @description bytes FIRST-LAST/TOTAL */
          'Content-Range'?: string
          [name: string]: unknown
        }
        content: {
          'application/octet-stream': unknown
        }
      }
      /** @description The file still has an ETag of If-None-Match */
      304: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description The policy or the file system denied the request, or the token, Origin or Host is not allowed */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ExecRecord'] | components['schemas']['Error']
        }
      }
      /** @description not_found: there is no file or directory at the path */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict: the path is neither a file nor a directory, or it changed during the request; or the run was canceled */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description precondition_failed: the file has changed: If-Match, If-None-Match or a hash does not hold */
      412: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type: with lines: the file is not UTF-8 text */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description out_of_range: the Range begins beyond the end of the file */
      416: {
        headers: {
          /** @description bytes *\/TOTAL: the current size */
          'Content-Range'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description pool_full: too many transfers or open files; sandbox_unavailable: this system has none */
      503: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  putFile: {
    parameters: {
      query: {
        /** @description An absolute path without .., or ~/x for one in the home directory */
        path: string
        /** @description What the kernel lets the command write: none: everything that its user may; read-only: nothing; workspace-write: its workspace (default: the setting sandbox) */
        sandbox?: components['schemas']['SandboxName']
        /** @description Permissions, octal (default: those of the replaced file; for a new one, what the umask allows) */
        mode?: string
        /** @description Write only if the file has this hash; none: only if there is no file. The body, at most 5 MiB, is read before the decision, so that an approval shows a diff (default: write in any case) */
        if_hash?: string
      }
      header?: {
        /** @description Only if the file has one of these ETags */
        'if-match'?: string
        /** @description Only if the file has none of these ETags; *: only if there is no file */
        'if-none-match'?: string
        /** @description bytes FIRST-LAST/TOTAL: resume an upload; bytes *\/TOTAL: ask how many bytes have arrived */
        'content-range'?: string
        /** @description A name for the upload, so that it can be resumed; 1 to 128 visible ASCII characters */
        'upload-key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        /** @example a note */
        'application/octet-stream': unknown
        'application/x-tar': unknown
      }
    }
    responses: {
      /** @description The file is created */
      201: {
        headers: {
          /** @description The id of the run that records the transfer */
          'Run-Id'?: string
          /** @description Changes when the file changes or is replaced */
          ETag?: string
          /** @description When its content last changed */
          'Last-Modified'?: string
          /** @description Permissions, octal */
          'File-Mode'?: string
          /** @description sha-256=:BASE64: of the whole file */
          'Repr-Digest'?: string
          /** @description With if_hash: the hash of the new content */
          'File-Hash'?: string
          [name: string]: unknown
        }
        content?: never
      }
      /** @description The file is replaced, or the archive is unpacked */
      204: {
        headers: {
          /** @description The id of the run that records the transfer */
          'Run-Id'?: string
          /** @description Changes when the file changes or is replaced */
          ETag?: string
          /** @description When its content last changed */
          'Last-Modified'?: string
          /** @description Permissions, octal */
          'File-Mode'?: string
          /** @description sha-256=:BASE64: of the whole file */
          'Repr-Digest'?: string
          /** @description With if_hash: the hash of the new content */
          'File-Hash'?: string
          [name: string]: unknown
        }
        content?: never
      }
      /** @description The bytes or names received so far; send the rest */
      308: {
        headers: {
          /** @description bytes=0-LAST: the bytes received */
          Range?: string
          /** @description Of an archive: the last complete name, percent-encoded */
          'Unpacked-Through'?: string
          [name: string]: unknown
        }
        content?: never
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description The policy or the file system denied the request, or the token, Origin or Host is not allowed */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ExecRecord'] | components['schemas']['Error']
        }
      }
      /** @description not_found: the directory of the file does not exist */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict: the path is a directory, or the upload continues at another byte; or the run was canceled */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description precondition_failed: the file has changed: If-Match, If-None-Match or a hash does not hold */
      412: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description too_large: the file is larger than the limit that the message names, or than the file system allows */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type: the route does not accept this Content-Type */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description pool_full: too many transfers or open files; sandbox_unavailable: this system has none */
      503: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description insufficient_storage: the disk is full; the previous file is unchanged */
      507: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  deleteFile: {
    parameters: {
      query: {
        /** @description An absolute path without .., or ~/x for one in the home directory */
        path: string
        /** @description What the kernel lets the command write: none: everything that its user may; read-only: nothing; workspace-write: its workspace (default: the setting sandbox) */
        sandbox?: components['schemas']['SandboxName']
      }
      header?: {
        /** @description Only if the file has one of these ETags */
        'if-match'?: string
        /** @description Only if the file has none of these ETags; *: only if there is no file */
        'if-none-match'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The file, link or directory is deleted */
      204: {
        headers: {
          /** @description The id of the run that records the transfer */
          'Run-Id'?: string
          [name: string]: unknown
        }
        content?: never
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description The policy or the file system denied the request, or the token, Origin or Host is not allowed */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ExecRecord'] | components['schemas']['Error']
        }
      }
      /** @description not_found: there is no file or directory at the path */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict: the directory is not empty, or in use by the system; or the run was canceled */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description precondition_failed: the file has changed: If-Match, If-None-Match or a hash does not hold */
      412: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description pool_full: too many transfers or open files; sandbox_unavailable: this system has none */
      503: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  headFile: {
    parameters: {
      query: {
        /** @description An absolute path without .., or ~/x for one in the home directory */
        path: string
        /** @description What the kernel lets the command write: none: everything that its user may; read-only: nothing; workspace-write: its workspace (default: the setting sandbox) */
        sandbox?: components['schemas']['SandboxName']
      }
      header?: {
        /** @description Only if the file has one of these ETags */
        'if-match'?: string
        /** @description Only if the file has none of these ETags; *: only if there is no file */
        'if-none-match'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The file exists */
      200: {
        headers: {
          /** @description The id of the run that records the transfer */
          'Run-Id'?: string
          /** @description Changes when the file changes or is replaced */
          ETag?: string
          /** @description When its content last changed */
          'Last-Modified'?: string
          /** @description Permissions, octal */
          'File-Mode'?: string
          /** @description sha-256=:BASE64: of the whole file */
          'Repr-Digest'?: string
          /** @description With if_hash: the hash of the new content */
          'File-Hash'?: string
          /** @description Size in bytes */
          'Content-Length'?: number
          [name: string]: unknown
        }
        content?: never
      }
      /** @description The file still has an ETag of If-None-Match */
      304: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description The policy or the file system denied the request, or the token, Origin or Host is not allowed */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ExecRecord'] | components['schemas']['Error']
        }
      }
      /** @description not_found: there is no file or directory at the path */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict: the path is neither a file nor a directory; or the run was canceled */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description precondition_failed: the file has changed: If-Match, If-None-Match or a hash does not hold */
      412: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description pool_full: too many transfers or open files; sandbox_unavailable: this system has none */
      503: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  editFile: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** @description Replacements in a text file */
    requestBody: {
      content: {
        /**
         * @example {
         *       "path": "~/shellphone-demo.txt",
         *       "edits": [
         *         {
         *           "old": "one",
         *           "new": "two"
         *         }
         *       ]
         *     }
         */
        'application/json': {
          /** @description Absolute, or ~/x in the home directory */
          path: string
          /** @description Replacements */
          edits: {
            /** @description Text that occurs exactly once */
            old: string
            /** @description Its replacement */
            new: string
            /** @description Replace every occurrence */
            replace_all?: boolean
          }[]
          /** @description Change only the file with this hash; none: only create a new file */
          if_hash?: string
          /** @description What the kernel lets the command write: none: everything that its user may; read-only: nothing; workspace-write: its workspace (default: the setting sandbox) */
          sandbox?: components['schemas']['SandboxName']
        }
      }
    }
    responses: {
      /** @description The file is changed: its new hash and the changed lines */
      200: {
        headers: {
          /** @description The id of the run that records the transfer */
          'Run-Id'?: string
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "path": "/home/you/shellphone-demo.txt",
           *       "hash": "sha256:27dd8ed44a83ff94",
           *       "replaced": 1,
           *       "snippet": "     1\ttwo\n"
           *     }
           */
          'application/json': components['schemas']['FileEditResult']
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description The policy or the file system denied the request, or the token, Origin or Host is not allowed */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ExecRecord'] | components['schemas']['Error']
        }
      }
      /** @description not_found: there is no file or directory at the path */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict: an edit matches no text, or several; or the run was canceled */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description precondition_failed: the file has changed: If-Match, If-None-Match or a hash does not hold */
      412: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description too_large: the body or a file is larger than the limit that the message names */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type: the body is not JSON, or a file is binary or not UTF-8 */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description pool_full: too many transfers or open files; sandbox_unavailable: this system has none */
      503: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description insufficient_storage: the disk is full; the previous file is unchanged */
      507: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  searchFiles: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** @description A search */
    requestBody: {
      content: {
        /**
         * @example {
         *       "path": "~/shellphone-demo.txt",
         *       "pattern": "two"
         *     }
         */
        'application/json': {
          /** @description Absolute, or ~/x in the home directory */
          path: string
          /** @description Regular expression (RE2), matched line by line; omitted: list the files */
          pattern?: string
          /** @description Only these files, such as *.{ts,js} */
          glob?: string
          /** @description Ignore case */
          ignore_case?: boolean
          /** @description Lines around a match (default: 0) */
          context?: number | string
          /** @description Number of matches (default: 100) */
          limit?: number | string
          /** @description What the kernel lets the command write: none: everything that its user may; read-only: nothing; workspace-write: its workspace (default: the setting sandbox) */
          sandbox?: components['schemas']['SandboxName']
        }
      }
    }
    responses: {
      /** @description The matches, or the names of the files */
      200: {
        headers: {
          /** @description The id of the run that records the transfer */
          'Run-Id'?: string
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "path": "/home/you/shellphone-demo.txt",
           *       "text": "shellphone-demo.txt:1:two\n",
           *       "found": 1,
           *       "files": 1,
           *       "truncated": false,
           *       "skipped": 0
           *     }
           */
          'application/json': components['schemas']['FileSearchResult']
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description The policy or the file system denied the request, or the token, Origin or Host is not allowed */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ExecRecord'] | components['schemas']['Error']
        }
      }
      /** @description not_found: there is no file or directory at the path */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict: the run was canceled */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description too_large: the body exceeds its limit, which the message names */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type: the route does not accept this Content-Type */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description pool_full: too many transfers or open files; sandbox_unavailable: this system has none */
      503: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  patchFiles: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** @description A patch of several files */
    requestBody: {
      content: {
        /**
         * @example {
         *       "patch": "*** Begin Patch\n*** Update File: ~/shellphone-demo.txt\n@@\n-two\n+three\n*** End Patch"
         *     }
         */
        'application/json': {
          /** @description A unified diff, or a patch from *** Begin Patch to *** End Patch */
          patch: string
          /** @description The absolute directory of the relative paths in the patch */
          directory?: string
          /** @description What the kernel lets the command write: none: everything that its user may; read-only: nothing; workspace-write: its workspace (default: the setting sandbox) */
          sandbox?: components['schemas']['SandboxName']
        }
      }
    }
    responses: {
      /** @description All files are changed */
      200: {
        headers: {
          /** @description The id of the run that records the transfer */
          'Run-Id'?: string
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "status": "completed",
           *       "files": [
           *         {
           *           "path": "/home/you/shellphone-demo.txt",
           *           "action": "updated",
           *           "hash": "sha256:f6936912184481f5"
           *         }
           *       ],
           *       "text": "updated /home/you/shellphone-demo.txt, hash sha256:f6936912184481f5\n"
           *     }
           */
          'application/json': components['schemas']['FilePatchResult']
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description The policy or the file system denied the request, or the token, Origin or Host is not allowed */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ExecRecord'] | components['schemas']['Error']
        }
      }
      /** @description not_found: there is no file or directory at the path */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict: the patch does not fit a file, or a new file already exists; or the run was canceled */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description precondition_failed: the file has changed: If-Match, If-None-Match or a hash does not hold */
      412: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description too_large: the body or a file is larger than the limit that the message names */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type: the body is not JSON, or a file is binary or not UTF-8 */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description pool_full: too many transfers or open files; sandbox_unavailable: this system has none */
      503: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description insufficient_storage: the disk is full; the previous file is unchanged */
      507: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  getHealth: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The state of the service; without a token only status and version */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "status": "ok",
           *       "version": "0.1.0",
           *       "name": "pixel",
           *       "platform": "android",
           *       "node": "v20.20.2",
           *       "uptime_seconds": 3600,
           *       "memory_bytes": 77488128,
           *       "pool": {
           *         "running": 0,
           *         "queued": 0,
           *         "max_running": 4,
           *         "max_queued": 256
           *       },
           *       "pending_approvals": 0,
           *       "spawner": {
           *         "name": "launcher",
           *         "reason": "the launcher built here works"
           *       },
           *       "sandbox": {
           *         "available": [
           *           "none"
           *         ],
           *         "reason": "the kernel of this device does not support Landlock"
           *       },
           *       "terminal": {
           *         "available": true,
           *         "reason": null,
           *         "shell": "/bin/bash"
           *       },
           *       "slept_seconds": 0,
           *       "warnings": []
           *     }
           */
          'application/json': components['schemas']['Health']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: the token lacks the right; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  getDoctor: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Problems of this machine, why they matter and how to fix them */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "status": "ok",
           *       "checks": [
           *         {
           *           "name": "service",
           *           "status": "ok",
           *           "found": "responds, up for 5 s",
           *           "why": "Without the service, no agent can use this machine.",
           *           "fix": null
           *         }
           *       ]
           *     }
           */
          'application/json': components['schemas']['DoctorReport']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: only a person may do this, with the owner’s token or one with approves: all; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  getPhone: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Battery, network and storage, at most a minute old */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "looked_at": "2026-01-31T10:20:30.400Z",
           *       "battery": null,
           *       "wifi": null,
           *       "addresses": [
           *         "192.0.2.2"
           *       ],
           *       "urls": [
           *         "http://127.0.0.1:8029"
           *       ],
           *       "storage": [
           *         {
           *           "path": "/home/you/.shellphone",
           *           "free_bytes": 61220237312,
           *           "total_bytes": 270553174016
           *         }
           *       ],
           *       "missing": [
           *         "battery: termux-battery-status is not installed"
           *       ]
           *     }
           */
          'application/json': components['schemas']['PhoneStatus']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: only a person may do this, with the owner’s token or one with approves: all; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  getLoad: {
    parameters: {
      query?: {
        /** @description The span in minutes (default: 10); a longer span has one sample for each minute */
        minutes?: number
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The load in the span */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "samples": [
           *         {
           *           "at": "2026-01-31T10:20:30.400Z",
           *           "running": 0,
           *           "queued": 0,
           *           "begun": 9,
           *           "memory_bytes": 78405632,
           *           "lag_ms": 0
           *         }
           *       ]
           *     }
           */
          'application/json': {
            /** @description Oldest first; the last one is current */
            samples: components['schemas']['LoadSample'][]
          }
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: only a person may do this, with the owner’s token or one with approves: all; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  listSettings: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The settings in force, and where each value comes from */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "config_file": "/home/you/.shellphone/config.yaml",
           *       "settings": [
           *         {
           *           "name": "port",
           *           "value": 8029,
           *           "default": 8029,
           *           "source": "default",
           *           "waiting": 8031,
           *           "live": false,
           *           "unit": "",
           *           "expected": "an integer from 0 to 65535",
           *           "meaning": "TCP port; 0: the system chooses"
           *         }
           *       ]
           *     }
           */
          'application/json': {
            /** @description The path of config.yaml, which need not exist */
            config_file: string
            /** @description All settings */
            settings: components['schemas']['Setting'][]
          }
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: only a person may do this, with the owner’s token or one with approves: all; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  listDialects: {
    parameters: {
      query?: {
        /** @description Return tools in the format of this API (anthropic: Messages; openai: Responses; openai-chat: chat completions; default: all about the dialects) */
        format?: 'openai' | 'openai-chat' | 'anthropic' | 'mcp'
        /** @description Return only the tools of this dialect (default: all) */
        dialect?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The tools of all dialects, or of the one in the query */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json':
            | {
                /** @description All dialects */
                dialects: {
                  /** @description The name of the dialect, or DIALECT/TOOL, as GET /dialects lists it */
                  name: string
                  /** @description The name of the tool, as the model knows it */
                  tool: string
                  /** @description The description of the tool for the model */
                  description: string
                  /** @description The JSON Schema of its parameters */
                  parameters: {
                    [key: string]: unknown
                  }
                }[]
              }
            | {
                /** @description The tools, as the API wants them */
                tools: {
                  [key: string]: unknown
                }[]
                /** @description The dialect by the name of the tool in a call, or for a tool of OpenAI by the type of the call, such as shell_call; for DIALECT/TOOL, call POST /exec/DIALECT?tool=TOOL */
                dialects: {
                  [key: string]: string
                }
              }
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: the token lacks the right; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found: there is no dialect with this name */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  execDialect: {
    parameters: {
      query?: {
        /** @description A session of this token, created by its first use: the command starts in the directory and with the exported variables of the last one */
        session?: string
        /** @description The tool, if the dialect has several, such as bash of anthropic */
        tool?: string
      }
      header?: {
        /** @description The same key and body return the same run; 1 to 255 visible ASCII characters */
        'idempotency-key'?: string
      }
      path: {
        /** @description The name of the dialect; of a name DIALECT/TOOL in GET /dialects, only DIALECT, with TOOL in the query */
        dialect: string
      }
      cookie?: never
    }
    /** @description The arguments of the tool */
    requestBody: {
      content: {
        /**
         * @example {
         *       "command": "uname -a"
         *     }
         */
        'application/json': {
          [key: string]: unknown
        }
      }
    }
    responses: {
      /** @description The command ran, whatever its exit code; events begin before it has ended */
      200: {
        headers: {
          /** @description The id of the run */
          'Run-Id'?: string
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "tool": "exec",
           *       "run_id": "01k7g7y3sgv0m2q4t8j6x1n5zb",
           *       "exit_code": 0,
           *       "is_error": false,
           *       "output": "[Exit Code: 0]\nLinux localhost 6.1.99 aarch64 Android\n"
           *     }
           */
          'application/json': components['schemas']['DialectAnswer']
          'text/plain': string
          'text/event-stream': components['schemas']['StreamedDialectEvent']
        }
      }
      /** @description The tool refused its arguments, or validation_error */
      400: {
        headers: {
          /** @description The id of the run */
          'Run-Id'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['DialectAnswer'] | components['schemas']['Error']
          'text/plain': string
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description The command was denied: the answer of the tool. Otherwise an error: forbidden (the token lacks a right, such as shell for tty), forbidden_origin or forbidden_host (a foreign Origin or Host), or tls_required (plain HTTP from another machine) */
      403: {
        headers: {
          /** @description The id of the run */
          'Run-Id'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['DialectAnswer'] | components['schemas']['Error']
          'text/plain': string
        }
      }
      /** @description No such dialect or file */
      404: {
        headers: {
          /** @description The id of the run */
          'Run-Id'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['DialectAnswer'] | components['schemas']['Error']
          'text/plain': string
        }
      }
      /** @description The key belongs to another request, or the file conflicts with the change */
      409: {
        headers: {
          /** @description The id of the run */
          'Run-Id'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['DialectAnswer'] | components['schemas']['Error']
          'text/plain': string
        }
      }
      /** @description expired: the Idempotency-Key belongs to a run whose record has been deleted */
      410: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description The file has changed since a person approved its change */
      412: {
        headers: {
          /** @description The id of the run */
          'Run-Id'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['DialectAnswer'] | components['schemas']['Error']
          'text/plain': string
        }
      }
      /** @description The body or the file is too large */
      413: {
        headers: {
          /** @description The id of the run */
          'Run-Id'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['DialectAnswer'] | components['schemas']['Error']
          'text/plain': string
        }
      }
      /** @description The body is not JSON, or the file is not text */
      415: {
        headers: {
          /** @description The id of the run */
          'Run-Id'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['DialectAnswer'] | components['schemas']['Error']
          'text/plain': string
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description The shell could not be started, or execution_error */
      500: {
        headers: {
          /** @description The id of the run */
          'Run-Id'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['DialectAnswer'] | components['schemas']['Error']
          'text/plain': string
        }
      }
      /** @description The sandbox is not available, or pool_full */
      503: {
        headers: {
          /** @description The id of the run */
          'Run-Id'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['DialectAnswer'] | components['schemas']['Error']
          'text/plain': string
        }
      }
      /** @description The disk is full */
      507: {
        headers: {
          /** @description The id of the run */
          'Run-Id'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['DialectAnswer'] | components['schemas']['Error']
          'text/plain': string
        }
      }
    }
  }
  mcpGET: {
    parameters: {
      query?: {
        /** @description Offer only the tools for commands, or only those for files */
        tools?: 'run' | 'files'
        /** @description A session of this token, created by its first use: the command starts in the directory and with the exported variables of the last one */
        session?: string
      }
      header?: {
        /** @description The session; without this header, the response is 400 */
        'mcp-session-id'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description A stream of the messages that belong to no request, until the session ends */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/event-stream': string
        }
      }
      /** @description A header is missing or wrong */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['JsonRpcError'] | components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: the token lacks the right; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description No such dialect or session; start a new session */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['JsonRpcError'] | components['schemas']['Error']
        }
      }
      /** @description Accept must list text/event-stream */
      406: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['JsonRpcError'] | components['schemas']['Error']
        }
      }
      /** @description The session has a stream already */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['JsonRpcError'] | components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  mcpPOST: {
    parameters: {
      query?: {
        /** @description Offer only the tools for commands, or only those for files */
        tools?: 'run' | 'files'
        /** @description A session of this token, created by its first use: the command starts in the directory and with the exported variables of the last one */
        session?: string
      }
      header?: {
        /** @description The session of a client of version 2025-11-25 or older; omitted in initialize */
        'mcp-session-id'?: string
      }
      path?: never
      cookie?: never
    }
    /** @description JSON-RPC 2.0 (modelcontextprotocol.io) */
    requestBody: {
      content: {
        /**
         * @example {
         *       "jsonrpc": "2.0",
         *       "id": 1,
         *       "method": "initialize",
         *       "params": {
         *         "protocolVersion": "2025-11-25",
         *         "capabilities": {},
         *         "clientInfo": {
         *           "name": "curl",
         *           "version": "1"
         *         }
         *       }
         *     }
         */
        'application/json': unknown
      }
    }
    responses: {
      /** @description A JSON-RPC response, or a stream of messages that ends with it */
      200: {
        headers: {
          /** @description The new session, in the response to initialize */
          'Mcp-Session-Id'?: string
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "jsonrpc": "2.0",
           *       "id": 1,
           *       "result": {
           *         "protocolVersion": "2025-11-25",
           *         "capabilities": {
           *           "tools": {}
           *         },
           *         "serverInfo": {
           *           "name": "shellphone",
           *           "version": "0.1.0"
           *         }
           *       }
           *     }
           */
          'application/json': unknown
          'text/event-stream': string
        }
      }
      /** @description The message was a notification or a response, which has no reply */
      202: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description The message or a header is wrong */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['JsonRpcError'] | components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: the token lacks the right; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description No such dialect or session; start a new session */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['JsonRpcError'] | components['schemas']['Error']
        }
      }
      /** @description Accept must list application/json and text/event-stream */
      406: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['JsonRpcError'] | components['schemas']['Error']
        }
      }
      /** @description too_large: the body exceeds its limit, which the message names */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type: the route does not accept this Content-Type */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description The client canceled the request */
      499: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['JsonRpcError'] | components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description Too many sessions, or pool_full */
      503: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['JsonRpcError'] | components['schemas']['Error']
        }
      }
    }
  }
  mcpDELETE: {
    parameters: {
      query?: {
        /** @description Offer only the tools for commands, or only those for files */
        tools?: 'run' | 'files'
        /** @description A session of this token, created by its first use: the command starts in the directory and with the exported variables of the last one */
        session?: string
      }
      header?: {
        /** @description The session; without this header, the response is 400 */
        'mcp-session-id'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The session has ended */
      200: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description A header is missing or wrong */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['JsonRpcError'] | components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: the token lacks the right; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description No such dialect or session; start a new session */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['JsonRpcError'] | components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  mcpGETWithDialect: {
    parameters: {
      query?: {
        /** @description Offer only the tools for commands, or only those for files */
        tools?: 'run' | 'files'
        /** @description A session of this token, created by its first use: the command starts in the directory and with the exported variables of the last one */
        session?: string
      }
      header?: {
        /** @description The session; without this header, the response is 400 */
        'mcp-session-id'?: string
      }
      path: {
        /** @description The name of the dialect, whose tools the client gets; of a name DIALECT/TOOL in GET /dialects, only DIALECT */
        dialect: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description A stream of the messages that belong to no request, until the session ends */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/event-stream': string
        }
      }
      /** @description A header is missing or wrong */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['JsonRpcError'] | components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: the token lacks the right; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description No such dialect or session; start a new session */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['JsonRpcError'] | components['schemas']['Error']
        }
      }
      /** @description Accept must list text/event-stream */
      406: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['JsonRpcError'] | components['schemas']['Error']
        }
      }
      /** @description The session has a stream already */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['JsonRpcError'] | components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  mcpPOSTWithDialect: {
    parameters: {
      query?: {
        /** @description Offer only the tools for commands, or only those for files */
        tools?: 'run' | 'files'
        /** @description A session of this token, created by its first use: the command starts in the directory and with the exported variables of the last one */
        session?: string
      }
      header?: {
        /** @description The session of a client of version 2025-11-25 or older; omitted in initialize */
        'mcp-session-id'?: string
      }
      path: {
        /** @description The name of the dialect, whose tools the client gets; of a name DIALECT/TOOL in GET /dialects, only DIALECT */
        dialect: string
      }
      cookie?: never
    }
    /** @description JSON-RPC 2.0 (modelcontextprotocol.io) */
    requestBody: {
      content: {
        /**
         * @example {
         *       "jsonrpc": "2.0",
         *       "id": 1,
         *       "method": "initialize",
         *       "params": {
         *         "protocolVersion": "2025-11-25",
         *         "capabilities": {},
         *         "clientInfo": {
         *           "name": "curl",
         *           "version": "1"
         *         }
         *       }
         *     }
         */
        'application/json': unknown
      }
    }
    responses: {
      /** @description A JSON-RPC response, or a stream of messages that ends with it */
      200: {
        headers: {
          /** @description The new session, in the response to initialize */
          'Mcp-Session-Id'?: string
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "jsonrpc": "2.0",
           *       "id": 1,
           *       "result": {
           *         "protocolVersion": "2025-11-25",
           *         "capabilities": {
           *           "tools": {}
           *         },
           *         "serverInfo": {
           *           "name": "shellphone",
           *           "version": "0.1.0"
           *         }
           *       }
           *     }
           */
          'application/json': unknown
          'text/event-stream': string
        }
      }
      /** @description The message was a notification or a response, which has no reply */
      202: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description The message or a header is wrong */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['JsonRpcError'] | components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: the token lacks the right; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description No such dialect or session; start a new session */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['JsonRpcError'] | components['schemas']['Error']
        }
      }
      /** @description Accept must list application/json and text/event-stream */
      406: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['JsonRpcError'] | components['schemas']['Error']
        }
      }
      /** @description too_large: the body exceeds its limit, which the message names */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type: the route does not accept this Content-Type */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description The client canceled the request */
      499: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['JsonRpcError'] | components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description Too many sessions, or pool_full */
      503: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['JsonRpcError'] | components['schemas']['Error']
        }
      }
    }
  }
  mcpDELETEWithDialect: {
    parameters: {
      query?: {
        /** @description Offer only the tools for commands, or only those for files */
        tools?: 'run' | 'files'
        /** @description A session of this token, created by its first use: the command starts in the directory and with the exported variables of the last one */
        session?: string
      }
      header?: {
        /** @description The session; without this header, the response is 400 */
        'mcp-session-id'?: string
      }
      path: {
        /** @description The name of the dialect, whose tools the client gets; of a name DIALECT/TOOL in GET /dialects, only DIALECT */
        dialect: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The session has ended */
      200: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description A header is missing or wrong */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['JsonRpcError'] | components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: the token lacks the right; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description No such dialect or session; start a new session */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['JsonRpcError'] | components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  checkPolicy: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        /**
         * @example {
         *       "command": "rm -rf build"
         *     }
         */
        'application/json':
          | {
              /** @description The shell command to execute; not blank, at most 1 MiB */
              command: string
              /** @description Timeout in seconds (default: 30, in the background 86400); a timeout above the maximum (120 or 86400, settings) is lowered to it, with a note in the response */
              timeout_seconds?: number
              /** @description An existing directory (default: $HOME, a setting) */
              working_directory?: string
              /** @description Maximum characters of the command's output in the response (default: 50000, a setting), stdout and stderr together; the lines that the service adds (exit code, [stderr], what is left out) do not count */
              max_length?: number
              /** @description Environment variables added for this command */
              env?: {
                [key: string]: string
              }
              /** @description Text to send before stdin is closed; "open": send it with POST /runs/:id/stdin (default: an empty stdin) */
              stdin?: string
              /**
               * @description How output (and the data of stdin) is encoded as text; base64 keeps every byte (default: utf8)
               * @enum {string}
               */
              encoding?: 'utf8' | 'base64'
              /** @description Run in a terminal of this size, in the background, with an open stdin and all output as stdout */
              tty?: components['schemas']['WindowSize']
              /** @description Respond with 202 at once; the run continues without its client (default: false) */
              background?: boolean
              /**
               * @description When the stored output is full: drop further output, or make the command wait for its readers (default: drop)
               * @enum {string}
               */
              when_full?: 'drop' | 'wait'
              /** @description For a background run: cancel it this many seconds after the last connection that followed it was lost */
              lease_seconds?: number
              /** @description Files to report in artifacts, with size and SHA-256, after the command has ended */
              artifact_paths?: string[]
              /** @description What the kernel lets the command write: none: everything that its user may; read-only: nothing; workspace-write: its workspace (default: the setting sandbox) */
              sandbox?: components['schemas']['SandboxName']
              /** @description false: no network in the sandbox (default: the setting sandbox.network) */
              network?: boolean
              /** @description Limits for this command; if a setting limits the same resource, the stricter limit applies */
              limits?: components['schemas']['RequestLimits']
              /** @description A session of this token, created by its first use: the command starts in the directory and with the exported variables of the last one */
              session?: string
              /** @description Settings to use instead of the current ones, by their keys in config.yaml; for people only */
              policy?: {
                [key: string]: unknown
              }
            }
          | {
              /** @description The name of the dialect, or DIALECT/TOOL, as GET /dialects lists it */
              dialect: string
              /** @description The arguments of the tool */
              arguments: {
                [key: string]: unknown
              }
              /** @description Settings to use instead of the current ones, by their keys in config.yaml; for people only */
              policy?: {
                [key: string]: unknown
              }
            }
      }
    }
    responses: {
      /** @description What would happen to the command, and what each guard says about it */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "verdict": "allow",
           *       "risk": "high",
           *       "opaque": false,
           *       "syntax_error": null,
           *       "guards": [
           *         {
           *           "guard": "risk",
           *           "verdict": "allow",
           *           "risk": "high",
           *           "rule": "destructive",
           *           "command": "rm -rf build",
           *           "reason": "High risk: it deletes, changes the system or reaches other machines."
           *         }
           *       ]
           *     }
           */
          'application/json': {
            /** @description allow: the command runs; ask: it runs if a person approves it; deny: it does not run */
            verdict: components['schemas']['Verdict']
            /** @description How much damage the command could do, as the policy estimates it */
            risk: components['schemas']['Risk']
            /** @description Whether the policy could not analyse the whole script */
            opaque: boolean
            /** @description Why a shell will reject the command, such as `expected 'fi' to close 'if'`; null: no certain error */
            syntax_error: string | null
            /** @description What each rule of each guard found */
            guards: components['schemas']['Finding'][]
          }
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: only a person may send policy; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found: there is no dialect with this name */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description too_large: the body exceeds its limit, which the message names */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type: the route does not accept this Content-Type */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description sandbox_unavailable: this system cannot enforce the requested sandbox */
      503: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  listApprovals: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The approval requests that the token may see, and the saved approvals */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "approvals": [
           *         {
           *           "id": "jngn5v06pqp4a6aa",
           *           "run_id": "01k7g7y3sgv0m2q4t8j6x1n5zb",
           *           "command": "cat todo | sh",
           *           "working_directory": "/home/you",
           *           "dialect": "oneclaw",
           *           "token": "codex",
           *           "token_id": "5e490a83-9453-4fa3-8a10-b098adc95892",
           *           "sandbox": "none",
           *           "network": true,
           *           "writable": [],
           *           "files": [],
           *           "env": {},
           *           "stdin": null,
           *           "rule": "opaque",
           *           "reason": "It is unclear what this would run. Write the commands out in full.",
           *           "risk": "medium",
           *           "requested_at": "2026-01-31T10:20:30.400Z",
           *           "expires_at": "2026-01-31T10:22:30.400Z",
           *           "always": {
           *             "covers": "exactly this command, in /home/you, with the token codex",
           *             "expires_at": "2026-03-02T10:20:30.400Z"
           *           }
           *         }
           *       ],
           *       "rules": []
           *     }
           */
          'application/json': {
            /** @description The requests that wait for an answer */
            approvals: components['schemas']['PendingApproval'][]
            /** @description The saved approvals */
            rules: components['schemas']['SavedRule'][]
          }
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: the token lacks the right; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  answerApproval: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description The id of the approval request */
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        /**
         * @example {
         *       "decision": "approve",
         *       "scope": "always"
         *     }
         */
        'application/json': {
          /**
           * @description The answer
           * @enum {string}
           */
          decision: 'approve' | 'deny'
          /**
           * @description always: save it for identical requests (default: once)
           * @enum {string}
           */
          scope?: 'once' | 'always'
          /** @description Who answers; recorded in quotes after the name of the token */
          by?: string
        }
      }
    }
    responses: {
      /** @description How the approval request was decided */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "approved": true,
           *       "outcome": "approved",
           *       "by": "laptop",
           *       "how": "http",
           *       "at": "2026-01-31T10:20:30.400Z",
           *       "scope": "once",
           *       "saved_rule": null
           *     }
           */
          'application/json': components['schemas']['ApprovalAnswer']
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: only a person may do this, with the owner’s token or one with approves: all; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found: no approval request has this id */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict: the request has already been answered, has timed out, or its run was canceled */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description too_large: the body exceeds its limit, which the message names */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type: the route does not accept this Content-Type */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  revokeRule: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description The id of the saved approval */
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The saved approval is revoked */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: only a person may do this, with the owner’s token or one with approves: all; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found: no saved approval has this id */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  pressButton: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description The nonce of the button; it works once */
        nonce: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description How the approval request was decided */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "approved": true,
           *       "outcome": "approved",
           *       "by": "laptop",
           *       "how": "http",
           *       "at": "2026-01-31T10:20:30.400Z",
           *       "scope": "once",
           *       "saved_rule": null
           *     }
           */
          'application/json': components['schemas']['ApprovalAnswer']
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: no pending request has a button with this nonce */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: the token lacks the right; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict: the request has already been answered */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description too_large: the body exceeds its limit, which the message names */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  listTokens: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The named tokens with their rights; the owner’s token is not one of them */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "tokens": [
           *         {
           *           "approves": "none",
           *           "read": "own",
           *           "shell": false,
           *           "files": "write",
           *           "policy": "supervised",
           *           "instant_answers": false,
           *           "dialect": null,
           *           "addresses": [],
           *           "idle_days": null,
           *           "id": "5e490a83-9453-4fa3-8a10-b098adc95892",
           *           "name": "codex",
           *           "created_at": "2026-01-31T10:20:30.400Z",
           *           "expires_at": null,
           *           "last_used_at": null
           *         }
           *       ]
           *     }
           */
          'application/json': {
            /** @description All named tokens */
            tokens: components['schemas']['Token'][]
          }
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: only a person may do this, with the owner’s token or one with approves: all; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  createToken: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** @description A new token; omitted rights get the least, except files, which gets write */
    requestBody: {
      content: {
        /**
         * @example {
         *       "name": "codex",
         *       "policy": "supervised"
         *     }
         */
        'application/json': {
          /** @description What uses it, such as an agent or a browser: 1 to 64 letters, digits, dots, underscores and hyphens */
          name: string
          /**
           * @description The approval requests that it may answer. none: no requests; own: those of its own commands, by MCP elicitation (the client asks its user and reports the answer, so it must not answer on its own); all: every request, because its holder is a person, who may also create and revoke tokens
           * @enum {string}
           */
          approves?: 'none' | 'own' | 'all'
          /**
           * @description The runs that it can read and cancel; all: it can also list the sessions and webhooks of all tokens
           * @enum {string}
           */
          read?: 'own' | 'all'
          /** @description Whether it may open a terminal */
          shell?: boolean
          /**
           * @description The access that it has to /files; the policy controls what its commands do to files
           * @enum {string}
           */
          files?: 'none' | 'read' | 'write'
          /** @description Whether its MCP client may answer an elicitation within a second; otherwise such a fast answer is ignored, because no person can have given it */
          instant_answers?: boolean
          /** @description A preset that applies to its commands in addition to the owner's settings; the stricter decision wins */
          policy?: ('open' | 'guarded' | 'supervised' | 'strict') | null
          /** @description The dialect whose tool POST /mcp offers to this token, instead of the service's own tools */
          dialect?: string | null
          /** @description Addresses or CIDR networks from which it may be used, at most 32; empty: anywhere */
          addresses?: string[]
          /** @description Expire after this many days (default: never) */
          expires_in_days?: number | string
          /** @description Expire after this many days without use; each use renews it (default: never, for a paired device 90) */
          idle_days?: number | string
        }
      }
    }
    responses: {
      /** @description The token with its secret */
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "approves": "none",
           *       "read": "own",
           *       "shell": false,
           *       "files": "write",
           *       "policy": "supervised",
           *       "instant_answers": false,
           *       "dialect": null,
           *       "addresses": [],
           *       "idle_days": null,
           *       "id": "5e490a83-9453-4fa3-8a10-b098adc95892",
           *       "name": "codex",
           *       "created_at": "2026-01-31T10:20:30.400Z",
           *       "expires_at": null,
           *       "last_used_at": null,
           *       "token": "VrzQ2gmBMgwA8OroTDp4Z12Ml_4AO-4ez-8KYK-t61Q"
           *     }
           */
          'application/json': components['schemas']['NewToken']
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: only a person may do this, and only with rights that this token has itself; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict: the name is taken, or there are already 256 tokens */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description too_large: the body exceeds its limit, which the message names */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type: the route does not accept this Content-Type */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  rotateToken: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description The name of the token */
        name: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The token with its secret */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "approves": "none",
           *       "read": "own",
           *       "shell": false,
           *       "files": "write",
           *       "policy": "supervised",
           *       "instant_answers": false,
           *       "dialect": null,
           *       "addresses": [],
           *       "idle_days": null,
           *       "id": "5e490a83-9453-4fa3-8a10-b098adc95892",
           *       "name": "codex",
           *       "created_at": "2026-01-31T10:20:30.400Z",
           *       "expires_at": null,
           *       "last_used_at": null,
           *       "token": "VrzQ2gmBMgwA8OroTDp4Z12Ml_4AO-4ez-8KYK-t61Q"
           *     }
           */
          'application/json': components['schemas']['NewToken']
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: only a person may do this, and only with rights that this token has itself; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found: no token has this name */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict: SHELLPHONE_TOKEN sets the owner's token */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  revokeToken: {
    parameters: {
      query?: never
      header?: never
      path: {
        /** @description The name of the token */
        name: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The token is revoked */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: only a person may do this, with the owner’s token or one with approves: all; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found: no token has this name */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  createPairingCode: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** @description A new token; omitted rights get the least, except files, which gets write */
    requestBody: {
      content: {
        /**
         * @example {
         *       "read": "all"
         *     }
         */
        'application/json': {
          /**
           * @description The approval requests that it may answer. none: no requests; own: those of its own commands, by MCP elicitation (the client asks its user and reports the answer, so it must not answer on its own); all: every request, because its holder is a person, who may also create and revoke tokens
           * @enum {string}
           */
          approves?: 'none' | 'own' | 'all'
          /**
           * @description The runs that it can read and cancel; all: it can also list the sessions and webhooks of all tokens
           * @enum {string}
           */
          read?: 'own' | 'all'
          /** @description Whether it may open a terminal */
          shell?: boolean
          /**
           * @description The access that it has to /files; the policy controls what its commands do to files
           * @enum {string}
           */
          files?: 'none' | 'read' | 'write'
          /** @description Whether its MCP client may answer an elicitation within a second; otherwise such a fast answer is ignored, because no person can have given it */
          instant_answers?: boolean
          /** @description A preset that applies to its commands in addition to the owner's settings; the stricter decision wins */
          policy?: ('open' | 'guarded' | 'supervised' | 'strict') | null
          /** @description The dialect whose tool POST /mcp offers to this token, instead of the service's own tools */
          dialect?: string | null
          /** @description Addresses or CIDR networks from which it may be used, at most 32; empty: anywhere */
          addresses?: string[]
          /** @description Expire after this many days (default: never) */
          expires_in_days?: number | string
          /** @description Expire after this many days without use; each use renews it (default: never, for a paired device 90) */
          idle_days?: number | string
        }
      }
    }
    responses: {
      /** @description The pairing code, and the links that contain it */
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "code": "7QK2-9XMD",
           *       "expires_at": "2026-01-31T10:20:30.400Z",
           *       "links": [
           *         "http://127.0.0.1:8029/#pair=7QK2-9XMD"
           *       ]
           *     }
           */
          'application/json': {
            /** @description The code; valid once, for five minutes and at most five attempts */
            code: string
            /** @description When it expires, as ISO 8601 in UTC */
            expires_at: string
            /** @description One link for each address of this machine; the secret parts are in the fragment */
            links: string[]
          }
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: only a person may do this, and only with rights that this token has itself; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description too_large: the body exceeds its limit, which the message names */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type: the route does not accept this Content-Type */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  pair: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        /**
         * @example {
         *       "code": "7QK2-9XMD",
         *       "name": "laptop"
         *     }
         */
        'application/json': {
          /** @description The pairing code */
          code: string
          /** @description What uses it, such as an agent or a browser: 1 to 64 letters, digits, dots, underscores and hyphens */
          name: string
        }
      }
    }
    responses: {
      /** @description The token with its secret */
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "approves": "none",
           *       "read": "all",
           *       "shell": false,
           *       "files": "write",
           *       "policy": null,
           *       "instant_answers": false,
           *       "dialect": null,
           *       "addresses": [],
           *       "idle_days": 90,
           *       "id": "5e490a83-9453-4fa3-8a10-b098adc95892",
           *       "name": "laptop",
           *       "created_at": "2026-01-31T10:20:30.400Z",
           *       "expires_at": "2026-05-01T10:20:30.400Z",
           *       "last_used_at": null,
           *       "token": "VrzQ2gmBMgwA8OroTDp4Z12Ml_4AO-4ez-8KYK-t61Q"
           *     }
           */
          'application/json': components['schemas']['NewToken']
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the code is wrong, used or expired; create another one */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: the token lacks the right; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict: a token with this name already exists, or there are already 256 tokens */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description too_large: the body exceeds its limit, which the message names */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type: the route does not accept this Content-Type */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  listConnections: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The connections that are open now, that of this request among them */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "connections": [
           *         {
           *           "token": "codex",
           *           "address": "127.0.0.1",
           *           "kind": "http",
           *           "opened_at": "2026-01-31T10:20:30.400Z"
           *         }
           *       ]
           *     }
           */
          'application/json': {
            /** @description All of them */
            connections: components['schemas']['Connection'][]
          }
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: only a person may do this, with the owner’s token or one with approves: all; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  listAccessEvents: {
    parameters: {
      query?: {
        /** @description At most this many (default: 100) */
        limit?: number
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The newest events of the access log */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          /**
           * @example {
           *       "events": [
           *         {
           *           "at": "2026-01-31T10:20:30.400Z",
           *           "token": "codex",
           *           "by": "owner",
           *           "how": null,
           *           "from": "127.0.0.1",
           *           "run_id": null,
           *           "is_saved": false,
           *           "rights": {
           *             "approves": "none",
           *             "read": "own",
           *             "shell": false,
           *             "files": "write",
           *             "policy": "supervised"
           *           },
           *           "attempts": null,
           *           "what": "token_created"
           *         }
           *       ]
           *     }
           */
          'application/json': {
            /** @description The events, newest first */
            events: components['schemas']['AccessEvent'][]
          }
        }
      }
      /** @description validation_error: a parameter, header or field is not valid; `field` names it */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: only a person may do this, with the owner’s token or one with approves: all; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  getMetrics: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description All counters and gauges in Prometheus text format */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/plain': string
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: the token lacks the right; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  getContract: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The contract as OpenAPI 3.1 in YAML */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/yaml': string
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: the token lacks the right; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  getMessageContract: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description The contract as AsyncAPI 3 in YAML */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/yaml': string
        }
      }
      /** @description unauthorized: the token is missing, wrong, expired or revoked, or used from another address */
      401: {
        headers: {
          /** @description Bearer */
          'WWW-Authenticate'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden: the token lacks the right; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited: too many wrong tokens from this address; wait as long as Retry-After says */
      429: {
        headers: {
          /** @description After how many seconds to repeat the request */
          'Retry-After'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
  getDocs: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description HTML without external resources */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/html': string
        }
      }
      /** @description forbidden: the token lacks the right; forbidden_origin, forbidden_host: a foreign Origin or Host; tls_required: plain HTTP from another machine */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error: an internal error; the log names the cause */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
    }
  }
}
