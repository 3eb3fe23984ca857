import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** One file of the log; a higher number is younger. */
export type SegmentFile = { readonly number: number; readonly path: string }

const NAME = /^(\d{8})\.ndjson$/

/** The path of a segment. */
export function segmentPath(directory: string, number: number): string {
  return join(directory, `${String(number).padStart(8, '0')}.ndjson`)
}

/** The segments of a log, oldest first. */
export async function listSegments(directory: string): Promise<SegmentFile[]> {
  const numbers = (await readdir(directory)).flatMap((name) => {
    const digits = NAME.exec(name)?.[1]
    return digits === undefined ? [] : [Number(digits)]
  })
  return numbers.sort((a, b) => a - b).map((number) => ({ number, path: segmentPath(directory, number) }))
}
