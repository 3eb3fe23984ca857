/** Returns one parameter of a raw query string; undefined if it is missing, repeated, empty or not percent-encoded UTF-8. */
export function readParameter(search: string, name: string): string | undefined {
  const values = search
    .split('&')
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
  const [value] = values
  if (value === undefined || value === '' || values.length > 1) return undefined
  try {
    return decodeURIComponent(value.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/** Parses the number of a page, from 1; 1 if it is none. */
export function readPage(text: string | undefined): number {
  return text !== undefined && /^[1-9][0-9]{0,5}$/.test(text) ? Number(text) : 1
}

/** Whether a text can be the id of a record. */
export const isId = (text: string): boolean => /^[\w-]{1,64}$/.test(text)
