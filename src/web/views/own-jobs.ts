const KEY = 'shellphone.jobs'
const MAX_JOBS = 10

/** The ids of the jobs that this browser has started, newest first. The browser stores no commands. */
export function ownJobs(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(stored) ? stored.filter((id) => typeof id === 'string').slice(0, MAX_JOBS) : []
  } catch {
    return [] // another program wrote something else under this key
  }
}

export const rememberJob = (id: string): void =>
  localStorage.setItem(KEY, JSON.stringify([id, ...ownJobs()].slice(0, MAX_JOBS)))
