import { type ListedPhone, phones } from '../fleet-phones.ts'

/** A phone's labels as people write them: `NAME=VALUE`, or `NAME` without a value. */
export const labelsOf = ({ labels }: ListedPhone): string[] =>
  Object.entries(labels).map(([name, value]) => (value === '' ? name : `${name}=${value}`))

/** The phones whose name or labels contain the text. */
export function searchPhones(text: string): ListedPhone[] {
  const sought = text.trim().toLowerCase()
  return phones.value.filter((phone) => [phone.name, ...labelsOf(phone)].join(' ').toLowerCase().includes(sought))
}
