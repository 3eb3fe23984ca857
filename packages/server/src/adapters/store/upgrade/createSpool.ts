import { appendFile, mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { DailyMeasurements } from '../../../domain/facts/dailyMeasurements.ts'
import type { Observation } from '../../../domain/facts/facts.ts'
import { ifPresent } from '../../../durable/durableFiles.ts'
import type { NumberedDocument } from './readOldDocuments.ts'

/** Documents, days and looks of some hosts. */
export type SpooledHosts = {
  readonly documents: readonly NumberedDocument[]
  readonly days: readonly DailyMeasurements[]
  /** In the order of writing. */
  readonly looks: readonly Observation[]
}

/** Sorts documents, days and looks by host, through temporary files, so that no more than one part is in memory. */
export type Spool = {
  add(record: Spooled): Promise<void>
  /** Reads the hosts of one part. */
  read(part: number): Promise<SpooledHosts>
  remove(): Promise<void>
}

type Spooled =
  | ({ readonly type: 'document' } & NumberedDocument)
  | { readonly type: 'day'; readonly day: DailyMeasurements }
  | { readonly type: 'look'; readonly look: Observation }

/** Number of parts. Version 0.1 spread its documents over as many files, by the same hash. */
export const PARTS = 256

const BUFFER_CHARS = 8 * 1024 * 1024

/** Creates an empty spool in a new folder. */
export async function createSpool(directory: string): Promise<Spool> {
  await mkdir(directory, { mode: 0o700 })
  const waiting = new Map<number, string[]>()
  let waitingChars = 0
  const pathOf = (part: number) => join(directory, `${part}.ndjson`)

  const flush = async (): Promise<void> => {
    for (const [part, lines] of waiting) await appendFile(pathOf(part), lines.join(''), { mode: 0o600 })
    waiting.clear()
    waitingChars = 0
  }

  return {
    async add(record) {
      const line = `${JSON.stringify(record)}\n`
      const part = crc32(hostOf(record)) % PARTS
      const lines = waiting.get(part)
      if (lines) lines.push(line)
      else waiting.set(part, [line])
      waitingChars += line.length
      if (waitingChars >= BUFFER_CHARS) await flush()
    },
    async read(part) {
      await flush()
      const text = (await ifPresent(readFile(pathOf(part), 'utf8'))) ?? ''
      const records = text
        .split('\n')
        .slice(0, -1)
        .map((line): Spooled => JSON.parse(line))
      return {
        documents: records.flatMap((record) => (record.type === 'document' ? [record] : [])),
        days: records.flatMap((record) => (record.type === 'day' ? [record.day] : [])),
        looks: records.flatMap((record) => (record.type === 'look' ? [record.look] : [])),
      }
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}

function hostOf(record: Spooled): string {
  if (record.type === 'document') return record.document.host
  return record.type === 'day' ? record.day.host : record.look.host
}
