import { ShellphoneError } from '../shared/schema/index.ts'

/**
 * Loads a part of the program that only its first use needs. An upgrade under a running service takes such parts away: then it is 503
 * until the restart, and all that was loaded goes on.
 */
export async function loadLate<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new ShellphoneError('RESTART_NEEDED', 'Shellphone was upgraded while it ran; restart it to use this')
  }
}
