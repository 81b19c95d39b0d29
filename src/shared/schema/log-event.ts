/** The field `event` of lines in the log that programs look for. `ENDED` is written by termux/service/finish, where the service has died. */
export type LogEvent = 'LISTENING' | 'STOPPING' | 'ENDED'
