/** Returns one parameter of a raw query string; undefined if it is missing, repeated, empty or not percent-encoded UTF-8. */
export function readParameter(search: string, name: string): string | undefined {
  const start = `${name}=`
  const [pair = start, ...others] = search.split('&').filter((one) => one.startsWith(start))
  if (others.length > 0) return undefined
  try {
    return decodeURIComponent(pair.slice(start.length).replaceAll('+', ' ')) || undefined
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
