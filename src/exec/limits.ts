import type { Limits, RequestLimits } from '../schema/index.ts'

/** Of the owner's and the request's limits the stricter ones; where only one is set, that one. For nice the higher is the stricter. */
export function stricterLimits(own: Limits, wished: RequestLimits): Limits {
  return {
    cpuSeconds: lower(own.cpuSeconds, wished.cpu_seconds),
    addressSpaceBytes: lower(own.addressSpaceBytes, wished.address_space_bytes),
    processes: lower(own.processes, wished.processes),
    openFiles: lower(own.openFiles, wished.open_files),
    fileSizeBytes: lower(own.fileSizeBytes, wished.file_size_bytes),
    nice: wished.nice === undefined ? own.nice : Math.max(own.nice ?? 0, wished.nice),
    oomScoreAdj: own.oomScoreAdj,
  }
}

function lower(own: number | null, wished: number | undefined): number | null {
  return own === null || wished === undefined ? (own ?? wished ?? null) : Math.min(own, wished)
}
