/** A field that filters a list while the user types. */
export const SearchField = ({ label, value, set }: { label: string; value: string; set(value: string): void }) => (
  <input
    type="search"
    aria-label={label}
    placeholder={label}
    value={value}
    onInput={({ currentTarget }) => set(currentTarget.value)}
  />
)
