/** The field `event` of log lines that programs search for. termux/service/finish writes `ENDED` after the service has exited. */
export type LogEvent = 'LISTENING' | 'STOPPING' | 'ENDED'
