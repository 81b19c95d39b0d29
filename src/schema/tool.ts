/** How one of the service's own tools ended. `killed`: at the time limit or by the signal; `not_started`: the system refused, and `stderr` says why. */
export interface ToolEnd {
  ending: 'exited' | 'killed' | 'not_started'
  exitCode: number | null
  stdout: string
  stderr: string
}
