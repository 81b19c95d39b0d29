/** One small file of the home (0600), read whole and replaced atomically. */
export interface TextFile {
  /** null: there is no file */
  read(): string | null
  /** throws if the disk refuses */
  write(text: string): void
}
