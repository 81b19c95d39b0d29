#!/bin/sh
# Runs commands with curl. Usage: URL=http://127.0.0.1:8029 TOKEN=… sh curl.sh
set -eu
post() { # path, body, further options of curl
  path=$1 body=$2
  shift 2
  curl -sS -H "Authorization: Bearer $TOKEN" --json "$body" "$@" "$URL$path"
}
# one command as text; -f fails if the command was denied
post /exec '{"command": "echo hello from curl"}' -f -H 'Accept: text/plain'
if post /exec '{"command": "rm -rf /"}' -f -o /dev/null 2>/dev/null; then exit 1; else echo denied; fi
# the tool of another agent, in its own format
post /exec/agent-world '{"command": "echo", "parameters": ["hello", "tool"]}' -f -H 'Accept: text/plain'
# output as it is produced, as Server-Sent Events
post /exec '{"command": "echo streamed"}' -f -N -H 'Accept: text/event-stream' | sed -n 's/^event: //p'
