/** How many bytes a sequence that begins with `lead` has; 0: it cannot begin one. */
const sequenceLength = (lead: number): number => {
  if (lead >= 0xc2 && lead <= 0xdf) return 2
  if (lead >= 0xe0 && lead <= 0xef) return 3
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0
}

/** The second byte has a narrower range after E0, ED, F0 and F4 (Unicode 15, table 3-7). */
const secondFits = (lead: number, second: number): boolean => {
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
  return second >= low && second <= high
}

/** How many bytes at the end of `bytes` begin a character that is not whole yet: 0 to 3. Invalid bytes are not waited for. */
export const cutCharacterBytes = (bytes: Buffer): number => {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const lead = bytes[bytes.length - back]!
    if (lead < 0x80) return 0
    if ((lead & 0xc0) === 0x80) continue
    if (sequenceLength(lead) <= back) return 0
    return back === 1 || secondFits(lead, bytes[bytes.length - back + 1]!) ? back : 0
  }
  return 0
}
