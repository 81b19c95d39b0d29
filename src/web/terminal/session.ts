import type { Run, RunPhone, RunRecord } from '../../sdk/index.ts'
import type { TerminalScreen } from './terminal-screen.ts'

/** How many bytes of earlier output to replay when a terminal is opened again. Full-screen programs redraw when the size changes. */
const REPLAYED_BYTES = 1_048_576

/** Receives the events of a terminal session. */
interface TerminalListener {
  /** the terminal waits for this approval */
  waits(approvalId: string): void
  runs(): void
  ended(record: Pick<RunRecord, 'status' | 'notes'>): void
  failed(error: unknown): void
}

/** Connects the terminal of a run to a screen until either closes. */
export class TerminalSession {
  #run: Run | null = null
  #isOver = false
  #isRunning = false
  /** input is dropped before this offset: it is the screen's answers to output, which programs received in an earlier session */
  #old = 0
  #at = 0

  constructor(
    readonly id: string,
    readonly screen: TerminalScreen,
    readonly listener: TerminalListener,
  ) {}

  async start(phone: RunPhone): Promise<void> {
    try {
      const { stdout_bytes, status, tty } = await phone.record(this.id)
      if (this.#isOver) return
      this.#old = stdout_bytes
      if (stdout_bytes > 0 && tty) this.screen.hold(tty) // programs have wrapped their lines at this size
      const from = { stdout: Math.max(0, stdout_bytes - REPLAYED_BYTES) }
      const run = await phone.attach(this.id, { ...from, gaps: 'report' })
      if (this.#isOver) return run.leave()
      this.#run = run
      this.#isRunning = status === 'running'
      if (stdout_bytes === 0) await this.#catchUp()
      for await (const event of run.events()) {
        if (event.type === 'output') await this.#draw(event.bytes, event.next_offset)
        else if (event.type === 'gap') await this.#reach(event.next_offset)
        else if (event.type === 'note') this.listener.waits(event.approval.id)
        else if (event.type === 'status' && event.status === 'running') this.#begin()
        else if (event.type === 'result') this.#end(event)
      }
    } catch (error) {
      if (!this.#isOver) this.listener.failed(error)
    }
  }

  /** Sends input, except while earlier output is replayed: the input is then only the screen's answers to old requests. */
  type(text: string): void {
    if (this.#isBehind()) return
    void this.#run?.write(text).catch(() => {}) // the run has ended, which the listener reports
  }

  resized(): void {
    if (!this.#isBehind()) void this.#resize(false)
  }

  leave(): void {
    this.#isOver = true
    this.#run?.leave()
  }

  #begin(): void {
    this.#isRunning = true
    this.listener.runs()
    void this.#resize(false)
  }

  #end(record: Parameters<TerminalListener['ended']>[0]): void {
    this.#isRunning = false
    this.screen.release()
    this.listener.ended(record)
  }

  async #draw(bytes: Uint8Array, next: number): Promise<void> {
    await this.screen.draw(bytes)
    await this.#reach(next)
  }

  async #reach(offset: number): Promise<void> {
    const wasBehind = this.#isBehind()
    this.#at = offset
    if (wasBehind && !this.#isBehind()) await this.#catchUp()
  }

  /** Whether earlier output is still replayed. */
  #isBehind(): boolean {
    return this.#at < this.#old
  }

  async #catchUp(): Promise<void> {
    this.screen.release()
    await this.#resize(true)
  }

  /** Sends another size first if a redraw is needed: a program ignores a size that it already has. */
  async #resize(isAnother: boolean): Promise<void> {
    if (!this.#isRunning) return // it gets its size when it starts
    const { rows, columns } = this.screen.size()
    try {
      if (isAnother) await this.#run?.resize({ rows: rows + 1, columns })
      await this.#run?.resize({ rows, columns })
    } catch {
      // the run has ended
    }
  }
}
