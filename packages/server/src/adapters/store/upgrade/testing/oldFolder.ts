import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import type { Observation } from '../../../../domain/facts/facts.ts'
import type { Store } from '../../../../ports/store.ts'
import { checksum, type OldRecord } from '../oldLine.ts'
import type { Carry } from '../putHosts.ts'

const FIXTURE = fileURLToPath(new URL('../../../../../fixtures/folder-0.1/', import.meta.url))

/** Expected content of the folder that version 0.1 made: records of the log by kind, and the last states. */
export type Expected = {
  readonly records: Readonly<Record<string, number>>
  readonly endpoints: readonly { readonly endpoint: string }[]
}

/** Unpacks the data folder that version 0.1 made. Returns its expected content. */
export async function unpackOldFolder(directory: string): Promise<Expected> {
  await promisify(execFile)('tar', ['xzf', join(FIXTURE, 'data-folder.tgz'), '-C', directory])
  return JSON.parse(await readFile(join(FIXTURE, 'expected.json'), 'utf8'))
}

/** Encodes a call as version 0.1 did. */
export function encodeCall(seq: number, records: readonly OldRecord[]): string {
  const parts = records.length
  const lines = records.map(({ type, data }, part) => {
    const json = JSON.stringify(data)
    const crc = checksum({ seq, part, parts, type, json })
    return `{"v":1,"seq":${seq},"part":${part},"parts":${parts},"crc":"${crc}","type":"${type}","data":${json}}\n`
  })
  return lines.join('')
}

/** Writes a folder with some segments, each the calls of one array, and no files of documents. */
export async function writeOldLog(directory: string, segments: readonly string[]): Promise<void> {
  await mkdir(join(directory, 'log'))
  await mkdir(join(directory, 'documents'))
  for (const [index, text] of segments.entries()) await writeFile(segmentPath(directory, index + 1), text)
}

/** Writes a file of documents as version 0.1 did. */
export async function writeOldDocuments(directory: string, part: number, documents: unknown): Promise<void> {
  const json = JSON.stringify({ documents })
  const crc = crc32(json).toString(16).padStart(8, '0')
  const path = join(directory, 'documents', `${String(part).padStart(3, '0')}.json`)
  await writeFile(path, `{"v":1,"crc":"${crc}","data":${json}}\n`)
}

/** Returns the path of a segment of the log. */
export function segmentPath(directory: string, number: number): string {
  return join(directory, 'log', `${String(number).padStart(8, '0')}.ndjson`)
}

/** Carries the time of the last look only. */
export const carryTime: Carry = (before, looks) => ({
  carried: { scoreVersion: '1.1.0', lastAt: looks.at(-1)?.at ?? before?.lastAt ?? 0 },
  days: [],
})

/** Reads all looks at an endpoint. */
export async function allLooks(store: Store, endpoint: string): Promise<Observation[]> {
  const looks: Observation[] = []
  for await (const look of store.looks(endpoint)) looks.push(look)
  return looks
}
