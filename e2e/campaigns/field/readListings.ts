import { readFile } from 'node:fs/promises'
import { asObject } from '@touchstone402/shared'

/** An untrusted JSON object. */
export type Row = Readonly<Record<string, unknown>>

/** A listing of a facilitator, as a line of the file gives it. */
export type FieldListing = { readonly resource: string; readonly row: Row }

/** Reads a file with one listing per line. A line without a listing is kept as one without a URL. */
export async function readListings(path: string | URL): Promise<FieldListing[]> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line.trim() !== '')
  return lines.map((line) => {
    const row = parse(line)
    const { resource = row.url } = row
    const url = asObject(resource)?.url ?? resource
    return { resource: typeof url === 'string' ? url : '', row }
  })
}

function parse(line: string): Row {
  try {
    return asObject(JSON.parse(line)) ?? {}
  } catch {
    return {}
  }
}
