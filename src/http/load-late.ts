import { ShellphoneError } from '../shared/schema/index.ts'

/**
 * Loads a module when the program first needs it. Upgrading the package while the service is running removes such modules. Loading one then throws
 * RESTART_NEEDED (503) until the service restarts, while everything that is already loaded keeps working.
 */
export async function loadLate<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new ShellphoneError(
      'RESTART_NEEDED',
      'Shellphone was upgraded while it was running; restart it to use this feature',
    )
  }
}
