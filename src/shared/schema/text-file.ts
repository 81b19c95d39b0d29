/** A small file in the home (0600), which is read whole and replaced atomically. */
export interface TextFile {
  /** null: the file does not exist */
  read(): string | null
  /** throws if the disk refuses */
  write(text: string): void
}
