import type { Run, RunPhone, RunRecord } from '../../sdk/index.ts'
import type { TerminalScreen } from './terminal-screen.ts'

/** Of a terminal that was left so much is shown again; a program that draws itself is asked to, by a change of its size. */
const REPLAYED_BYTES = 1_048_576

/** What a terminal there tells the page. */
interface TerminalListener {
  waits(): void
  runs(): void
  ended(record: Pick<RunRecord, 'status' | 'exit_code'>): void
  failed(error: unknown): void
}

/** A run's terminal and a screen, until either ends. */
export class TerminalSession {
  #run: Run | null = null
  #isOver = false
  /** up to here what comes was shown before, and what the screen answers to it is old news */
  #old = 0
  #at = 0

  constructor(
    readonly id: string,
    readonly screen: TerminalScreen,
    readonly told: TerminalListener,
  ) {}

  async start(phone: RunPhone): Promise<void> {
    try {
      const { stdout_bytes, ended_at } = await phone.record(this.id)
      this.#old = stdout_bytes
      const from = { stdout: Math.max(0, stdout_bytes - REPLAYED_BYTES) }
      const run = await phone.attach(this.id, { ...from, gaps: 'report' })
      if (this.#isOver) return run.leave()
      this.#run = run
      if (ended_at === null) await this.#resize(true)
      for await (const event of run.events()) {
        if (event.type === 'output') await this.#draw(event.bytes, event.next_offset)
        else if (event.type === 'note') this.told.waits()
        else if (event.type === 'status' && event.status === 'running') this.#begin()
        else if (event.type === 'result') this.told.ended(event)
      }
    } catch (error) {
      if (!this.#isOver) this.told.failed(error)
    }
  }

  /** What was typed; not what the screen answers while it is shown what was there before. */
  type(text: string): void {
    if (this.#at < this.#old) return
    void this.#run?.write(text).catch(() => {}) // it has ended, which is told
  }

  resized(): void {
    void this.#resize(false)
  }

  leave(): void {
    this.#isOver = true
    this.#run?.leave()
  }

  #begin(): void {
    this.told.runs()
    void this.#resize(false)
  }

  async #draw(bytes: Uint8Array, next: number): Promise<void> {
    await this.screen.draw(bytes)
    this.#at = next
  }

  /** Another size first: what has the right one already would not draw itself again. */
  async #resize(isAnother: boolean): Promise<void> {
    const { rows, columns } = this.screen.size()
    try {
      if (isAnother) await this.#run?.resize({ rows: rows + 1, columns })
      await this.#run?.resize({ rows, columns })
    } catch {
      // it has not begun yet, and gets its size then; or it has ended
    }
  }
}
