/** Attempts to leave a run's tree. ESCAPEE removes every mark of the run and writes its pid to FILE. */
export const escapes: [name: string, script: string, graceMs: number][] = [
  ['after the shell', 'ESCAPEE FILE; exit 0', 0],
  ['beside the shell', 'ESCAPEE FILE; sleep 300; true', 100],
  ['below another that has escaped', '(setsid env -i ESCAPEE FILE &) & exec sleep 300', 100],
]
