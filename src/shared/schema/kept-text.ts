/** One small file of the home (0600), read whole, replaced at once or not at all. */
export interface KeptText {
  /** null: there is none */
  read(): string | null
  /** throws where the disk refuses */
  write(text: string): void
}
