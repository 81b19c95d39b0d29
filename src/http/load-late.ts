import { ShellphoneError } from '../shared/schema/index.ts'

/**
 * Loads a module that the program needs only at its first use. An upgrade under a running service removes such modules: loading one then throws
 * RESTART_NEEDED (503) until the restart, while everything that is already loaded keeps working.
 */
export async function loadLate<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new ShellphoneError('RESTART_NEEDED', 'Shellphone was upgraded while it ran; restart it to use this')
  }
}
