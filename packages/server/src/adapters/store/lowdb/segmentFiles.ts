import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** One file of the log; a higher number is newer. */
export type SegmentFile = { readonly number: number; readonly path: string }

const NAME = /^(\d{8})\.ndjson$/

/** Returns the path of a segment. */
export function segmentPath(directory: string, number: number): string {
  return join(directory, `${String(number).padStart(8, '0')}.ndjson`)
}

/** Lists the segments of a log, oldest first. */
export async function listSegments(directory: string): Promise<SegmentFile[]> {
  const numbers = await listNumbers(directory, NAME)
  return numbers.map((number) => ({ number, path: segmentPath(directory, number) }))
}

/** Returns the numbers in the file names that match a pattern with one group of digits, in ascending order. */
export async function listNumbers(directory: string, pattern: RegExp): Promise<number[]> {
  const numbers = (await readdir(directory)).flatMap((name) => {
    const digits = pattern.exec(name)?.[1]
    return digits === undefined ? [] : [Number(digits)]
  })
  return numbers.sort((a, b) => a - b)
}
