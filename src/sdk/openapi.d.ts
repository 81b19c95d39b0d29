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
    /** Run a shell command */
    post: operations['exec']
    /** Cancel the foreground run with this Idempotency-Key, because its caller will not retry */
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
    /** Run commands over WebSocket, many at once on one connection */
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
    /** List runs, newest first */
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
    /** Get the record of a run; with wait_seconds, wait for the run to end */
    get: operations['getRun']
    put?: never
    post?: never
    /** Cancel a run: send SIGTERM to the whole process tree, and SIGKILL after the grace period */
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
    /** Send a named signal to the process group of a run, or to the foreground group of its terminal */
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
    /** Change the size of the terminal of a run started with "tty" */
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
    /** Get the number of stdin bytes that the command has taken */
    get: operations['getStdin']
    /** Feed the stdin of a run as one stream (curl -T -); bytes already received are skipped */
    put: operations['streamStdin']
    /** Feed the stdin of a run started with "stdin": "open" */
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
    /** Read the complete raw output of a run, even while it is running */
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
    /** Read the complete output that a dialect saved under a name (scratchpad) */
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
    /** Follow the events of a run as SSE, from the start or from Last-Event-ID */
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
    /** Find text in the stored output of a run: the lines that contain it; reads at most 16 MiB per request */
    get: operations['searchOutput']
    put?: never
    post?: never
    delete?: never
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
    /** Read a file, or a directory as a list or as tar */
    get: operations['getFile']
    /** Write a file in one step, or unpack tar into a directory */
    put: operations['putFile']
    post?: never
    /** Delete a file, a link or an empty directory */
    delete: operations['deleteFile']
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
    /** Health of the service */
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
    /** Problems of this machine, why they matter and how to fix them; takes up to 15 s */
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
    /** Battery, network and storage of the phone, at most a minute old; takes up to 20 s */
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
    /** Load of the service over the last ten minutes; where samples are missing, it was idle */
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
    /** List all settings: value, default and source */
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
    /** List the dialects, ready for a model's tool list */
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
    /** Run a command in a dialect, with the tool's own parameters and text format */
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
    /** Model Context Protocol: send a message to the server */
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
    /** Check what the policy would decide, and why; runs nothing */
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
    /** List pending and saved approvals; a token that is not a person’s lists only its own requests */
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
    /** Approve or deny a request */
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
    /** Revoke a saved approval */
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
    /** Answer with a notification's button; its nonce works once and is the only credential */
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
    /** List named tokens, without their secrets */
    get: operations['listTokens']
    put?: never
    /** Create a token with at most the rights of its creator; its secret is returned only once */
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
    /** Replace the secret of a token; the old secret stops working immediately */
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
    /** Create a pairing code, which replaces the previous one */
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
    /** Exchange a pairing code for a token, once; the code is the only credential */
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
    /** List open connections that have authenticated with a token */
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
    /** List who paired, lost access or answered approvals, newest first; the last 1000 events are stored */
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
    /** The API contract */
    get: operations['getContract']
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
    WindowSize: {
      /** @description Lines */
      rows: number
      /** @description Characters per line */
      columns: number
    }
    /** @enum {string} */
    SandboxName: 'none' | 'read-only' | 'workspace-write'
    RequestLimits: {
      /** @description CPU time of all processes together; without the launcher, of each process */
      cpu_seconds?: number
      /** @description Address space of each process */
      address_space_bytes?: number
      /** @description Concurrent processes, including the shell */
      processes?: number
      /** @description Open file descriptors of each process */
      open_files?: number
      /** @description Size of each file that it writes */
      file_size_bytes?: number
      /** @description Nice value */
      nice?: number
    }
    ExecRequest: {
      /** @description The shell command to execute; not blank, at most 1 MiB */
      command: string
      /** @description Seconds; a timeout above the maximum is lowered to it, with a note in the response */
      timeout_seconds?: number | string
      /** @description An existing directory */
      working_directory?: string
      /** @description Maximum characters of the command's output in the response, stdout and stderr together; the lines that the service adds (exit code, [stderr], what is left out) do not count */
      max_length?: number | string
      /** @description Environment variables added for this command */
      env?: {
        [key: string]: string
      }
      /** @description Text to send before stdin is closed; "open": send it with POST /runs/:id/stdin */
      stdin?: string
      /** @enum {string} */
      encoding?: 'utf8' | 'base64'
      tty?: components['schemas']['WindowSize']
      /** @description Respond with 202 at once */
      background?: boolean
      /**
       * @description When the stored output is full: drop further output, or make the command wait for its readers (default: drop)
       * @enum {string}
       */
      when_full?: 'drop' | 'wait'
      /** @description For a background run: cancel it this long after the last connection that followed it was lost */
      lease_seconds?: number | string
      artifact_paths?: string[]
      sandbox?: components['schemas']['SandboxName']
      /** @description false: no network in the sandbox */
      network?: boolean
      limits?: components['schemas']['RequestLimits']
    }
    /** @enum {string} */
    RunStatus: 'queued' | 'starting' | 'running' | 'completed' | 'failed' | 'timed_out' | 'canceled' | 'denied'
    /** @enum {string} */
    Verdict: 'allow' | 'ask' | 'deny'
    /** @enum {string} */
    Risk: 'low' | 'medium' | 'high'
    SpokenRule: {
      guard: string
      /** @enum {string} */
      verdict: 'allow' | 'ask' | 'deny'
      /** @enum {string} */
      risk: 'low' | 'medium' | 'high'
      rule: string | null
      reason: string | null
    }
    Decision: {
      verdict: components['schemas']['Verdict']
      risk?: components['schemas']['Risk']
      rule: string | null
      reason: string | null
      /** @description Every rule that applied, up to 20, if there was more than one */
      rules?: components['schemas']['SpokenRule'][]
    }
    Approval: {
      /** @description approved, denied, timeout, withdrawn, full, closed, nobody */
      outcome: string
      by: string | null
      how: string | null
      at: string
      scope: string | null
      saved_rule: string | null
    }
    Artifact: {
      path: string
      bytes?: number
      sha256?: string
      error?: string
    }
    Note: {
      /**
       * @description For programs; it never changes its meaning
       * @enum {string}
       */
      code:
        | 'NOTE'
        | 'LOWERED'
        | 'HIDDEN_FOLDER_WITHIN'
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
    ExecRecord: {
      id: string
      /** @description The name of the token that started it, or owner */
      token?: string
      /** @description The id of that token; absent from records older than token ids */
      token_id?: string
      /** @description The dialect of the request; oneclaw for POST /exec */
      dialect?: string
      /** @description The route or the MCP tool that started it: POST /exec, WebSocket, MCP exec … */
      via?: string
      status: components['schemas']['RunStatus']
      /** @description -1 after a timeout, a cancellation or a denial, and if the shell returned no exit code */
      exit_code: number
      signal: string | null
      timed_out: boolean
      stdout: string
      stderr: string
      stdout_bytes: number
      stderr_bytes: number
      stdout_sha256?: string | null
      stderr_sha256?: string | null
      truncated: boolean
      /** @description The formatted text of the exec tool */
      output: string
      command: string
      working_directory: string
      timeout_seconds: number
      max_length: number
      sandbox: string
      tty?: components['schemas']['WindowSize']
      decision: components['schemas']['Decision']
      approval?: components['schemas']['Approval']
      /** @description The approval request for which the run waits; absent unless it waits for a person */
      pending_approval?: {
        id: string
        expires_at: string
      }
      /** @description The name under which the complete output is saved (Meka) */
      scratchpad?: string
      queued_ms: number
      duration_ms: number
      started_at: string | null
      ended_at: string | null
      left_behind: {
        ended: number
        survivors: number[]
      }
      artifacts: components['schemas']['Artifact'][]
      notes: components['schemas']['Note'][]
      /** @description Why no result exists, such as a shell that could not be started */
      failure?: {
        code: string
        message: string
        about?: string
      }
    }
    StatusEvent: {
      /** @enum {string} */
      type: 'status'
      /** @description The id of the run */
      id: string
      status: components['schemas']['RunStatus']
    }
    NoteEvent: {
      /** @enum {string} */
      type: 'note'
      /** @description The id of the run */
      id: string
      note: components['schemas']['Note']
      approval: {
        id: string
        expires_at: string
      }
    }
    OutputEvent: {
      /** @enum {string} */
      type: 'output'
      /** @description The id of the run */
      id: string
      /** @enum {string} */
      stream: 'stdout' | 'stderr'
      /** @description Offset of this piece in its stream, in bytes */
      offset: number
      /** @description The offset to resume from after this piece */
      next_offset: number
      data: string
      /** @enum {string} */
      encoding: 'utf8' | 'base64'
    }
    ResultEvent: {
      /** @enum {string} */
      type: 'result'
      id: string
      /** @description The name of the token that started it, or owner */
      token?: string
      /** @description The id of that token; absent from records older than token ids */
      token_id?: string
      /** @description The dialect of the request; oneclaw for POST /exec */
      dialect?: string
      /** @description The route or the MCP tool that started it: POST /exec, WebSocket, MCP exec … */
      via?: string
      status: components['schemas']['RunStatus']
      /** @description -1 after a timeout, a cancellation or a denial, and if the shell returned no exit code */
      exit_code: number
      signal: string | null
      timed_out: boolean
      stdout: string
      stderr: string
      stdout_bytes: number
      stderr_bytes: number
      stdout_sha256?: string | null
      stderr_sha256?: string | null
      truncated: boolean
      /** @description The formatted text of the exec tool */
      output: string
      command: string
      working_directory: string
      timeout_seconds: number
      max_length: number
      sandbox: string
      tty?: components['schemas']['WindowSize']
      decision: components['schemas']['Decision']
      approval?: components['schemas']['Approval']
      /** @description The approval request for which the run waits; absent unless it waits for a person */
      pending_approval?: {
        id: string
        expires_at: string
      }
      /** @description The name under which the complete output is saved (Meka) */
      scratchpad?: string
      queued_ms: number
      duration_ms: number
      started_at: string | null
      ended_at: string | null
      left_behind: {
        ended: number
        survivors: number[]
      }
      artifacts: components['schemas']['Artifact'][]
      notes: components['schemas']['Note'][]
      /** @description Why no result exists, such as a shell that could not be started */
      failure?: {
        code: string
        message: string
        about?: string
      }
    }
    /** @enum {string} */
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
    ErrorEvent: {
      /** @enum {string} */
      type: 'error'
      error: {
        type: components['schemas']['ErrorType']
        message: string
        field?: string
      }
    }
    StreamedEvent:
      | components['schemas']['StatusEvent']
      | components['schemas']['NoteEvent']
      | components['schemas']['OutputEvent']
      | components['schemas']['ResultEvent']
      | components['schemas']['ErrorEvent']
    Error: {
      error: {
        type: components['schemas']['ErrorType']
        message: string
        field?: string
      }
    }
    RunSummary: {
      id: string
      /** @description The name of the token that started it, or owner */
      token?: string
      /** @description The id of that token; absent from records older than token ids */
      token_id?: string
      /** @description The dialect of the request; oneclaw for POST /exec */
      dialect?: string
      /** @description The route or the MCP tool that started it: POST /exec, WebSocket, MCP exec … */
      via?: string
      status: components['schemas']['RunStatus']
      /** @description -1 after a timeout, a cancellation or a denial, and if the shell returned no exit code */
      exit_code: number
      signal: string | null
      timed_out: boolean
      stdout_bytes: number
      stderr_bytes: number
      stdout_sha256?: string | null
      stderr_sha256?: string | null
      truncated: boolean
      command: string
      working_directory: string
      timeout_seconds: number
      max_length: number
      sandbox: string
      tty?: components['schemas']['WindowSize']
      decision: components['schemas']['Decision']
      approval?: components['schemas']['Approval']
      /** @description The approval request for which the run waits; absent unless it waits for a person */
      pending_approval?: {
        id: string
        expires_at: string
      }
      /** @description The name under which the complete output is saved (Meka) */
      scratchpad?: string
      queued_ms: number
      duration_ms: number
      started_at: string | null
      ended_at: string | null
      left_behind: {
        ended: number
        survivors: number[]
      }
      artifacts: components['schemas']['Artifact'][]
      notes: components['schemas']['Note'][]
      /** @description Why no result exists, such as a shell that could not be started */
      failure?: {
        code: string
        message: string
        about?: string
      }
    }
    RunList: {
      runs: components['schemas']['RunSummary'][]
    }
    StdinTaken: {
      /** @enum {boolean} */
      ok: true
      /** @description Bytes that the command has taken */
      offset: number
    }
    StdinState: {
      /** @description Bytes that the command has taken */
      offset: number
      /** @description stdin is closed */
      ended: boolean
    }
    OutputMatches: {
      matches: {
        /** @description Where the line starts, in bytes of the stream */
        offset: number
        /** @description The number of lines between the start of the search and this line */
        line: number
        /** @description How often the line contains the text */
        count: number
      }[]
      /** @description The number of complete lines that were searched */
      lines: number
      /** @description Where the next search continues */
      next_offset: number
      /** @description Whether everything that is stored now was searched */
      complete: boolean
    }
    /** @enum {string} */
    FileType: 'file' | 'directory' | 'symlink' | 'fifo' | 'socket' | 'block_device' | 'character_device'
    FileEntry: {
      name: string
      type: components['schemas']['FileType']
      bytes: number
      /** @description Permissions, octal: 0644 */
      mode: string
      modified_at: string
      /** @description Changes when the file changes or is replaced */
      etag: string
      /** @description The target of a symlink, as written in it */
      target?: string
    }
    FileList: {
      /** @description The path with its links resolved */
      path: string
      entries: components['schemas']['FileEntry'][]
      /** @description Send it as `after` to get the next page; null: this was the last page */
      next: string | null
    }
    Health: {
      /** @enum {string} */
      status: 'ok' | 'stopping'
      version: string
      /** @description Name of the machine: the model of a phone, otherwise the host name */
      name?: string
      platform?: string
      node?: string
      uptime_seconds?: number
      /** @description How long the machine has been suspended since the service started */
      slept_seconds?: number
      /** @description Resident set size */
      memory_bytes?: number
      pool?: {
        running: number
        max_running: number
        queued: number
        max_queued: number
      }
      /** @description How many approval requests wait for a person; their commands hold no slot */
      pending_approvals?: number
      spawner?: {
        name: string
        reason: string
      }
      sandbox?: {
        available: string[]
        reason: string | null
      }
      terminal?: {
        available: boolean
        reason: string | null
        /** @description The owner's shell, for interactive use */
        shell: string
      }
      fleet?: {
        name: string
        connected: boolean
        /** @description When the current state began; null: it has never been connected */
        since: string | null
        server: string | null
        /** @description The error of the last attempt */
        trouble: string | null
        /** @description Requests in progress */
        open: number
        requests: number
        refused: number
        parts: number
        reconnects: number
      }
      warnings?: string[]
    }
    CheckResult: {
      name: string
      /** @enum {string} */
      status: 'ok' | 'warning' | 'error' | 'skipped'
      /** @description The current state, in a sentence */
      found: string
      /** @description Why it matters */
      why: string
      mend: string | null
    }
    DoctorReport: {
      /** @enum {string} */
      status: 'ok' | 'warning' | 'error' | 'skipped'
      checks: components['schemas']['CheckResult'][]
    }
    PhoneStatus: {
      looked_at: string
      battery: {
        percent: number
        status: string | null
        plugged: string | null
        health: string | null
        temperature_celsius: number | null
      } | null
      wifi: {
        ssid: string | null
        signal_dbm: number | null
        link_mbps: number | null
      } | null
      /** @description Addresses at which other machines can reach this one, the most likely first */
      addresses: string[]
      storage: {
        path: string
        free_bytes: number
        total_bytes: number
      }[]
      /** @description The data that could not be read, and why, one sentence each */
      missing: string[]
    }
    LoadSample: {
      at: string
      running: number
      queued: number
      /** @description Runs started since the previous sample */
      begun: number
      memory_bytes: number
      /** @description How late a timer of the event loop fired */
      lag_ms: number
    }
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
      /** @description Whether a change in config.yaml applies at once, without a restart */
      live: boolean
      /** @description The allowed values */
      expected: string
      unit: string
      meaning: string
    }
    DialectAnswer: {
      tool: string
      /** @description null: the tool refused its arguments */
      run_id: string | null
      is_error: boolean
      /** @description Of the command; absent if it has no exit code */
      exit_code?: number
      /** @description Why the command did not run: validation_error, forbidden (denied), execution_error … */
      error_type?: string
      /** @description In the tool's own text format */
      output: string
    }
    ToolStreamEvent: {
      /** @enum {string} */
      type: 'tool-stream'
      /** @description The id of the run */
      id: string
      /** @enum {string} */
      stream: 'stdout' | 'stderr'
      /** @description Offset of this piece in its stream, in bytes */
      offset: number
      /** @description The offset to resume from after this piece */
      next_offset: number
      data: string
      /** @enum {string} */
      encoding: 'utf8' | 'base64'
    }
    DialectResultEvent: {
      /** @enum {string} */
      type: 'result'
      /** @description The id of the run */
      id: string
      tool: string
      /** @description null: the tool refused its arguments */
      run_id: string | null
      is_error: boolean
      /** @description Of the command; absent if it has no exit code */
      exit_code?: number
      /** @description Why the command did not run: validation_error, forbidden (denied), execution_error … */
      error_type?: string
      /** @description In the tool's own text format */
      output: string
    }
    StreamedDialectEvent:
      | components['schemas']['StatusEvent']
      | components['schemas']['NoteEvent']
      | components['schemas']['OutputEvent']
      | components['schemas']['ToolStreamEvent']
      | components['schemas']['DialectResultEvent']
      | components['schemas']['ErrorEvent']
    JsonRpcError: {
      /** @enum {string} */
      jsonrpc: '2.0'
      id: string | number | null
      error: {
        code: number
        message: string
        data?: unknown
      }
    }
    Finding: {
      guard: string
      verdict: components['schemas']['Verdict']
      risk: components['schemas']['Risk']
      rule: string | null
      command: string | null
      reason: string | null
    }
    ScriptFile: {
      path: string
      sha256: string
    }
    PendingApproval: {
      id: string
      run_id: string
      command: string
      working_directory: string
      dialect: string
      /** @description The name of the token, or owner */
      token: string
      sandbox: components['schemas']['SandboxName']
      network: boolean
      /** @description Directories that the sandbox leaves writable */
      writable: string[]
      /** @description Script files that the command runs */
      files: components['schemas']['ScriptFile'][]
      /** @description The id of that token */
      token_id?: string
      env: {
        [key: string]: string
      }
      /** @description The first part of stdin, with the size and SHA-256 of the whole; "open": the client sends stdin during the run */
      stdin:
        | {
            text: string
            bytes: number
            sha256: string
          }
        | 'open'
        | null
      rule: string | null
      reason: string | null
      risk: components['schemas']['Risk'] | null
      requested_at: string
      expires_at: string
      /** @description The rule that an answer with scope always would save; null: it saves no rule, because stdin stays open */
      always: {
        covers: string
        expires_at: string
      } | null
    }
    SavedRule: {
      id: string
      command: string
      working_directory: string
      dialect: string
      /** @description The name of the token, or owner */
      token: string
      sandbox: components['schemas']['SandboxName']
      network: boolean
      /** @description Directories that the sandbox leaves writable */
      writable: string[]
      /** @description Script files that the command runs */
      files: components['schemas']['ScriptFile'][]
      env_names: string[]
      stdin_sha256: string | null
      rule: string | null
      by: string
      how: string
      created_at: string
      expires_at: string
    }
    ApprovalAnswer: {
      /** @description approved, denied, timeout, withdrawn, full, closed, nobody */
      outcome: string
      by: string | null
      how: string | null
      at: string
      scope: string | null
      saved_rule: string | null
      approved: boolean
    }
    Token: {
      /** @description Identifies the owner of runs, keys and approval requests; a new token with the same name has another id */
      id: string
      /** @description For example an agent or a browser */
      name: string
      /**
       * @description The approval requests that it may answer. none: no requests; own: those of its own commands, by MCP elicitation (the client asks its user and reports the answer, so it must not answer on its own); all: every request, because its holder is a person, who may also create and revoke tokens
       * @enum {string}
       */
      approves: 'none' | 'own' | 'all'
      /**
       * @description The runs that it can read and cancel
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
      policy: ('open' | 'guarded' | 'supervised' | 'strict') | null
      dialect: string | null
      /** @description Addresses or CIDR networks from which it may be used; empty: anywhere */
      addresses: string[]
      created_at: string
      expires_at: string | null
      idle_days: number | null
      last_used_at: string | null
      /** @description The address from which it was last used */
      last_used_from?: string
    }
    TokenInput: {
      /** @description For example an agent or a browser */
      name: string
      /**
       * @description The approval requests that it may answer. none: no requests; own: those of its own commands, by MCP elicitation (the client asks its user and reports the answer, so it must not answer on its own); all: every request, because its holder is a person, who may also create and revoke tokens
       * @enum {string}
       */
      approves?: 'none' | 'own' | 'all'
      /**
       * @description The runs that it can read and cancel
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
      policy?: ('open' | 'guarded' | 'supervised' | 'strict') | null
      dialect?: string | null
      /** @description Addresses or CIDR networks from which it may be used; empty: anywhere */
      addresses?: string[]
      /** @description Default: never */
      expires_in_days?: number
      /** @description Expire after this many days without use; each use renews it. Default: never, for a paired device 90 */
      idle_days?: number
    }
    NewToken: {
      /** @description Identifies the owner of runs, keys and approval requests; a new token with the same name has another id */
      id: string
      /** @description For example an agent or a browser */
      name: string
      /**
       * @description The approval requests that it may answer. none: no requests; own: those of its own commands, by MCP elicitation (the client asks its user and reports the answer, so it must not answer on its own); all: every request, because its holder is a person, who may also create and revoke tokens
       * @enum {string}
       */
      approves: 'none' | 'own' | 'all'
      /**
       * @description The runs that it can read and cancel
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
      policy: ('open' | 'guarded' | 'supervised' | 'strict') | null
      dialect: string | null
      /** @description Addresses or CIDR networks from which it may be used; empty: anywhere */
      addresses: string[]
      created_at: string
      expires_at: string | null
      idle_days: number | null
      last_used_at: string | null
      /** @description The address from which it was last used */
      last_used_from?: string
      token: string
    }
    Connection: {
      /** @description The name of the token, or owner */
      token: string
      address: string
      /** @enum {string} */
      kind: 'http' | 'websocket'
      opened_at: string
    }
    AccessEvent: {
      at: string
      /**
       * @description token_edited: added, removed or changed in tokens.json; rule_revoked: a saved approval
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
      token: string | null
      by: string | null
      how: string | null
      from: string | null
      run_id: string | null
      /** @description Whether the answer was saved for identical requests */
      is_saved: boolean
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
        'application/json': components['schemas']['ExecRequest']
        'text/plain': string
      }
    }
    responses: {
      /** @description The command ran */
      200: {
        headers: {
          'Run-Id'?: string
          'Exit-Code'?: number
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ExecRecord']
          'text/plain': string
          'application/octet-stream': string
          'text/event-stream': components['schemas']['StreamedEvent']
        }
      }
      /** @description The command runs in the background */
      202: {
        headers: {
          Location?: string
          [name: string]: unknown
        }
        content: {
          'application/json': {
            id: string
            status: components['schemas']['RunStatus']
          }
        }
      }
      /** @description validation_error */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description The command was denied, or the Origin or Host is not allowed */
      403: {
        headers: {
          'Run-Id'?: string
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
      /** @description conflict, wrong_home, phone_conflict */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description expired */
      410: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description too_large */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description pool_full, restart_needed, sandbox_unavailable, terminal_unavailable, broker_unavailable, phone_offline */
      503: {
        headers: {
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
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            /** @enum {string} */
            outcome: 'cancel_requested' | 'already_finished'
          }
        }
      }
      /** @description validation_error */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict, wrong_home, phone_conflict */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
      /** @description validation_error */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
        /** @description At most this many; default 50 */
        limit?: number
        /** @description Only runs older than this id */
        before?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['RunList']
        }
      }
      /** @description validation_error */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
        wait_seconds?: number
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ExecRecord']
        }
      }
      /** @description validation_error */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            /** @enum {string} */
            outcome: 'cancel_requested' | 'already_finished'
          }
        }
      }
      /** @description validation_error */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': {
          /** @description A signal name from signal(7), such as SIGINT or INT */
          signal: string
        }
      }
    }
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            /** @enum {boolean} */
            ok: true
          }
        }
      }
      /** @description validation_error */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict, wrong_home, phone_conflict */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description too_large */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
        id: string
      }
      cookie?: never
    }
    /** @description Run in a terminal of this size, in the background, with an open stdin and all output as stdout */
    requestBody: {
      content: {
        'application/json': {
          /** @description Lines */
          rows: number | string
          /** @description Characters per line */
          columns: number | string
        }
      }
    }
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            /** @enum {boolean} */
            ok: true
          }
        }
      }
      /** @description validation_error */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict, wrong_home, phone_conflict */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description too_large */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['StdinState']
        }
      }
      /** @description validation_error */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict, wrong_home, phone_conflict */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
        /** @description Offset of the first byte; default: from Content-Range, or 0 */
        offset?: number
        /** @description false: stdin stays open after the body */
        end?: 'true' | 'false'
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['StdinTaken']
        }
      }
      /** @description validation_error */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict, wrong_home, phone_conflict */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description out_of_range */
      416: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': {
          data?: string
          /** @enum {string} */
          encoding?: 'utf8' | 'base64'
          end?: boolean
          /** @description Offset in bytes; default: after everything received so far */
          offset?: number | string
        }
      }
    }
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['StdinTaken']
        }
      }
      /** @description validation_error */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict, wrong_home, phone_conflict */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description too_large */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description out_of_range */
      416: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
        stream?: 'stdout' | 'stderr'
        /** @description Offset in bytes; default 0 */
        offset?: number
        /** @description Number of bytes; default: all */
        limit?: number
        /** @description true: follow until the run has ended */
        follow?: 'true' | 'false'
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Raw bytes from the offset */
      200: {
        headers: {
          'Run-Offset'?: number
          'Run-Total'?: number
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
          'Run-Offset'?: number
          'Run-Total'?: number
          'Run-Eof'?: boolean
          'Content-Range'?: string
          [name: string]: unknown
        }
        content: {
          'application/octet-stream': string
        }
      }
      /** @description validation_error */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description expired */
      410: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description out_of_range */
      416: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
        stream?: 'stdout' | 'stderr'
        /** @description Offset in bytes; default 0 */
        offset?: number
        /** @description Number of bytes; default: all */
        limit?: number
        /** @description true: follow until the run has ended */
        follow?: 'true' | 'false'
      }
      header?: never
      path: {
        name: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Raw bytes from the offset */
      200: {
        headers: {
          'Run-Offset'?: number
          'Run-Total'?: number
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
          'Run-Offset'?: number
          'Run-Total'?: number
          'Run-Eof'?: boolean
          'Content-Range'?: string
          [name: string]: unknown
        }
        content: {
          'application/octet-stream': string
        }
      }
      /** @description validation_error */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description expired */
      410: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description out_of_range */
      416: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
        /** @description Encoding of output; default: the request's while the run is live, utf8 afterwards */
        encoding?: 'utf8' | 'base64'
      }
      header?: {
        /** @description Id of the last received event: STDOUT.STDERR in bytes */
        'last-event-id'?: string
      }
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Events */
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
      /** @description validation_error */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description expired */
      410: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description out_of_range */
      416: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
        stream?: 'stdout' | 'stderr'
        /** @description Where to start: 0 (default), or the next_offset of the search before */
        offset?: number
        /** @description At most this many lines; default 1000 */
        limit?: number
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['OutputMatches']
        }
      }
      /** @description validation_error */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description expired */
      410: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description out_of_range */
      416: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
        /** @description Absolute, or ~/x for a path in the home directory; without .. */
        path: string
        sandbox?: components['schemas']['SandboxName']
        /** @description For a directory: only names after this one */
        after?: string
        /** @description Number of names in one page; default 1000 */
        limit?: number
      }
      header?: {
        /** @description ETags */
        'if-match'?: string
        /** @description ETags, or * */
        'if-none-match'?: string
        /** @description bytes=FIRST-LAST */
        range?: string
        /** @description An ETag */
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
          'Run-Id'?: string
          ETag?: string
          'Last-Modified'?: string
          'File-Mode'?: string
          [name: string]: unknown
        }
        content: {
          'application/octet-stream': unknown
          'application/json': components['schemas']['FileList']
          'application/x-tar': unknown
        }
      }
      /** @description The requested range */
      206: {
        headers: {
          'Run-Id'?: string
          ETag?: string
          'Last-Modified'?: string
          'File-Mode'?: string
          'Content-Range'?: string
          [name: string]: unknown
        }
        content: {
          'application/octet-stream': unknown
        }
      }
      /** @description Not modified */
      304: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description validation_error */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description Denied, or the token, Origin or Host is not allowed */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ExecRecord'] | components['schemas']['Error']
        }
      }
      /** @description not_found */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict, wrong_home, phone_conflict */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description precondition_failed */
      412: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description out_of_range */
      416: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description pool_full, restart_needed, sandbox_unavailable, terminal_unavailable, broker_unavailable, phone_offline */
      503: {
        headers: {
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
        /** @description Absolute, or ~/x for a path in the home directory; without .. */
        path: string
        sandbox?: components['schemas']['SandboxName']
        /** @description Permissions, octal; default: those of the replaced file */
        mode?: string
      }
      header?: {
        /** @description ETags */
        'if-match'?: string
        /** @description ETags, or * */
        'if-none-match'?: string
        /** @description bytes FIRST-LAST/TOTAL: resumes; bytes *\/TOTAL: asks how many have arrived */
        'content-range'?: string
        /** @description Names the upload, so that it can be resumed; 1 to 128 visible ASCII characters */
        'upload-key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/octet-stream': unknown
        'application/x-tar': unknown
      }
    }
    responses: {
      /** @description Created */
      201: {
        headers: {
          'Run-Id'?: string
          ETag?: string
          'Last-Modified'?: string
          'File-Mode'?: string
          'Repr-Digest'?: string
          [name: string]: unknown
        }
        content?: never
      }
      /** @description Replaced, or unpacked */
      204: {
        headers: {
          'Run-Id'?: string
          ETag?: string
          'Last-Modified'?: string
          'File-Mode'?: string
          'Repr-Digest'?: string
          [name: string]: unknown
        }
        content?: never
      }
      /** @description The bytes or names received so far; send the rest */
      308: {
        headers: {
          Range?: string
          'Unpacked-Through'?: string
          [name: string]: unknown
        }
        content?: never
      }
      /** @description validation_error */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description Denied, or the token, Origin or Host is not allowed */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ExecRecord'] | components['schemas']['Error']
        }
      }
      /** @description not_found */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict, wrong_home, phone_conflict */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description precondition_failed */
      412: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description too_large */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description pool_full, restart_needed, sandbox_unavailable, terminal_unavailable, broker_unavailable, phone_offline */
      503: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description insufficient_storage */
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
        /** @description Absolute, or ~/x for a path in the home directory; without .. */
        path: string
        sandbox?: components['schemas']['SandboxName']
      }
      header?: {
        /** @description ETags */
        'if-match'?: string
        /** @description ETags, or * */
        'if-none-match'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Deleted */
      204: {
        headers: {
          'Run-Id'?: string
          [name: string]: unknown
        }
        content?: never
      }
      /** @description validation_error */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description Denied, or the token, Origin or Host is not allowed */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ExecRecord'] | components['schemas']['Error']
        }
      }
      /** @description not_found */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict, wrong_home, phone_conflict */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description precondition_failed */
      412: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description pool_full, restart_needed, sandbox_unavailable, terminal_unavailable, broker_unavailable, phone_offline */
      503: {
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
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Health']
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['DoctorReport']
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['PhoneStatus']
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            samples: components['schemas']['LoadSample'][]
          }
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            config_file: string
            settings: components['schemas']['Setting'][]
          }
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
        /** @description Return tools in the format of this API (openai: chat completions) */
        format?: 'openai' | 'anthropic' | 'mcp'
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json':
            | {
                dialects: {
                  name: string
                  tool: string
                  description: string
                  /** @description JSON Schema */
                  parameters: {
                    [key: string]: unknown
                  }
                }[]
              }
            | {
                tools: {
                  [key: string]: unknown
                }[]
                dialects: {
                  [key: string]: string
                }
              }
        }
      }
      /** @description validation_error */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
      query?: never
      header?: {
        /** @description The same key and body return the same run; 1 to 255 visible ASCII characters */
        'idempotency-key'?: string
      }
      path: {
        dialect: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': {
          [key: string]: unknown
        }
      }
    }
    responses: {
      /** @description The command ran, whatever its exit code; events begin before it has ended */
      200: {
        headers: {
          'Run-Id'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['DialectAnswer']
          'text/plain': string
          'text/event-stream': components['schemas']['StreamedDialectEvent']
        }
      }
      /** @description The tool refused its arguments, or validation_error */
      400: {
        headers: {
          'Run-Id'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['DialectAnswer'] | components['schemas']['Error']
          'text/plain': string
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description The command was denied, or the Origin or Host is not allowed */
      403: {
        headers: {
          'Run-Id'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['DialectAnswer'] | components['schemas']['Error']
          'text/plain': string
        }
      }
      /** @description not_found */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict, wrong_home, phone_conflict */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description expired */
      410: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description too_large */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description The shell could not be started, or execution_error */
      500: {
        headers: {
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
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description A JSON-RPC response, or a stream of messages that ends with it */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': unknown
          'text/event-stream': string
        }
      }
      /** @description Accepted */
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
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
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
      /** @description too_large */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
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
      /** @description execution_error */
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
  mcpPOST: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** @description JSON-RPC 2.0 (modelcontextprotocol.io) */
    requestBody: {
      content: {
        'application/json': unknown
      }
    }
    responses: {
      /** @description A JSON-RPC response, or a stream of messages that ends with it */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': unknown
          'text/event-stream': string
        }
      }
      /** @description Accepted */
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
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
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
      /** @description too_large */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
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
      /** @description execution_error */
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
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description A JSON-RPC response, or a stream of messages that ends with it */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': unknown
          'text/event-stream': string
        }
      }
      /** @description Accepted */
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
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
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
      /** @description too_large */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
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
      /** @description execution_error */
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
  mcpGETWithDialect: {
    parameters: {
      query?: never
      header?: never
      path: {
        dialect: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description A JSON-RPC response, or a stream of messages that ends with it */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': unknown
          'text/event-stream': string
        }
      }
      /** @description Accepted */
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
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
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
      /** @description too_large */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
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
      /** @description execution_error */
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
  mcpPOSTWithDialect: {
    parameters: {
      query?: never
      header?: never
      path: {
        dialect: string
      }
      cookie?: never
    }
    /** @description JSON-RPC 2.0 (modelcontextprotocol.io) */
    requestBody: {
      content: {
        'application/json': unknown
      }
    }
    responses: {
      /** @description A JSON-RPC response, or a stream of messages that ends with it */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': unknown
          'text/event-stream': string
        }
      }
      /** @description Accepted */
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
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
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
      /** @description too_large */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
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
      /** @description execution_error */
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
      query?: never
      header?: never
      path: {
        dialect: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description A JSON-RPC response, or a stream of messages that ends with it */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': unknown
          'text/event-stream': string
        }
      }
      /** @description Accepted */
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
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
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
      /** @description too_large */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
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
      /** @description execution_error */
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
  checkPolicy: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json':
          | {
              /** @description The shell command to execute; not blank, at most 1 MiB */
              command: string
              /** @description Seconds; a timeout above the maximum is lowered to it, with a note in the response */
              timeout_seconds?: number
              /** @description An existing directory */
              working_directory?: string
              /** @description Maximum characters of the command's output in the response, stdout and stderr together; the lines that the service adds (exit code, [stderr], what is left out) do not count */
              max_length?: number
              /** @description Environment variables added for this command */
              env?: {
                [key: string]: string
              }
              /** @description Text to send before stdin is closed; "open": send it with POST /runs/:id/stdin */
              stdin?: string
              /** @enum {string} */
              encoding?: 'utf8' | 'base64'
              tty?: components['schemas']['WindowSize']
              /** @description Respond with 202 at once */
              background?: boolean
              /**
               * @description When the stored output is full: drop further output, or make the command wait for its readers (default: drop)
               * @enum {string}
               */
              when_full?: 'drop' | 'wait'
              /** @description For a background run: cancel it this long after the last connection that followed it was lost */
              lease_seconds?: number
              artifact_paths?: string[]
              sandbox?: components['schemas']['SandboxName']
              /** @description false: no network in the sandbox */
              network?: boolean
              limits?: components['schemas']['RequestLimits']
              /** @description Settings to use instead of the current ones, by their keys in config.yaml; for people only */
              policy?: {
                [key: string]: unknown
              }
            }
          | {
              dialect: string
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
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            verdict: components['schemas']['Verdict']
            risk: components['schemas']['Risk']
            opaque: boolean
            guards: components['schemas']['Finding'][]
          }
        }
      }
      /** @description validation_error */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description too_large */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
      500: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description pool_full, restart_needed, sandbox_unavailable, terminal_unavailable, broker_unavailable, phone_offline */
      503: {
        headers: {
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
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            approvals: components['schemas']['PendingApproval'][]
            rules: components['schemas']['SavedRule'][]
          }
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': {
          /** @enum {string} */
          decision: 'approve' | 'deny'
          /**
           * @description Default once
           * @enum {string}
           */
          scope?: 'once' | 'always'
          /** @description Recorded in quotes after the name of the token */
          by?: string
        }
      }
    }
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ApprovalAnswer']
        }
      }
      /** @description validation_error */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict, wrong_home, phone_conflict */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description too_large */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Default Response */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description validation_error */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
        nonce: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ApprovalAnswer']
        }
      }
      /** @description validation_error */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict, wrong_home, phone_conflict */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description too_large */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            tokens: components['schemas']['Token'][]
          }
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
    requestBody: {
      content: {
        'application/json': {
          /** @description For example an agent or a browser */
          name: string
          /**
           * @description The approval requests that it may answer. none: no requests; own: those of its own commands, by MCP elicitation (the client asks its user and reports the answer, so it must not answer on its own); all: every request, because its holder is a person, who may also create and revoke tokens
           * @enum {string}
           */
          approves?: 'none' | 'own' | 'all'
          /**
           * @description The runs that it can read and cancel
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
          policy?: ('open' | 'guarded' | 'supervised' | 'strict') | null
          dialect?: string | null
          /** @description Addresses or CIDR networks from which it may be used; empty: anywhere */
          addresses?: string[]
          /** @description Default: never */
          expires_in_days?: number | string
          /** @description Expire after this many days without use; each use renews it. Default: never, for a paired device 90 */
          idle_days?: number | string
        }
      }
    }
    responses: {
      /** @description Default Response */
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['NewToken']
        }
      }
      /** @description validation_error */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict, wrong_home, phone_conflict */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description too_large */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
        name: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['NewToken']
        }
      }
      /** @description validation_error */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict, wrong_home, phone_conflict */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
        name: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Default Response */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description validation_error */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description not_found */
      404: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
    requestBody: {
      content: {
        'application/json': {
          /**
           * @description The approval requests that it may answer. none: no requests; own: those of its own commands, by MCP elicitation (the client asks its user and reports the answer, so it must not answer on its own); all: every request, because its holder is a person, who may also create and revoke tokens
           * @enum {string}
           */
          approves?: 'none' | 'own' | 'all'
          /**
           * @description The runs that it can read and cancel
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
          policy?: ('open' | 'guarded' | 'supervised' | 'strict') | null
          dialect?: string | null
          /** @description Addresses or CIDR networks from which it may be used; empty: anywhere */
          addresses?: string[]
          /** @description Default: never */
          expires_in_days?: number | string
          /** @description Expire after this many days without use; each use renews it. Default: never, for a paired device 90 */
          idle_days?: number | string
        }
      }
    }
    responses: {
      /** @description Default Response */
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            /** @description Valid once, for five minutes and at most five attempts */
            code: string
            expires_at: string
            /** @description One link for each address of this machine; the secret parts are in the fragment */
            links: string[]
          }
        }
      }
      /** @description validation_error */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description too_large */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
        'application/json': {
          code: string
          /** @description For example an agent or a browser */
          name: string
        }
      }
    }
    responses: {
      /** @description Default Response */
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['NewToken']
        }
      }
      /** @description validation_error */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description conflict, wrong_home, phone_conflict */
      409: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description too_large */
      413: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unsupported_media_type */
      415: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            connections: components['schemas']['Connection'][]
          }
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
        /** @description At most this many; default 100 */
        limit?: number
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            events: components['schemas']['AccessEvent'][]
          }
        }
      }
      /** @description validation_error */
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
      /** @description Prometheus text */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/plain': string
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
      /** @description OpenAPI 3.1 */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/yaml': string
        }
      }
      /** @description unauthorized */
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description rate_limited */
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
      /** @description forbidden_origin, forbidden_host, forbidden, tls_required */
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Error']
        }
      }
      /** @description execution_error */
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
