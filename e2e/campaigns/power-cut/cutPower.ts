import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { DiskEvent } from './readDiskEvents.ts'

/** Folders and files of a disk after a power cut. */
export type Image = {
  readonly folders: readonly string[]
  readonly files: ReadonlyMap<string, Buffer>
}

type DataEvent = Extract<DiskEvent, { type: 'write' | 'truncate' }>
type NameEvent = Extract<DiskEvent, { type: 'create' | 'folder' | 'rename' | 'link' | 'remove' }>

/**
 * Returns what a disk may hold when the power is cut before an event. What was synced is there. Of the rest of a file a
 * random number of writes is there, in order, and the next one may be torn, or there as zeros. Names change in order, as
 * in a journal, and a sync of any file or folder makes all earlier ones durable, as ext4, XFS and Btrfs do.
 * @param random returns numbers from 0 to 1, 1 excluded
 */
export function cutPower(events: readonly DiskEvent[], before: number, random: () => number): Image {
  const past = events.slice(0, before)
  const names = new Map<string, number | null>()
  const durable = durableUpTo(past, () => true)
  const pending = past.slice(durable).filter(isName)
  const applied = [
    ...past.slice(0, durable).filter(isName),
    ...pending.slice(0, upTo(pending.length, random)),
  ]
  for (const event of applied) applyName(names, event)
  const files = new Map<string, Buffer>()
  for (const [path, file] of names) if (file !== null) files.set(path, contentOf(past, file, random))
  return { folders: [...names].flatMap(([path, file]) => (file === null ? [path] : [])), files }
}

/** Returns the texts that were acknowledged before an event. */
export function acknowledgedBefore(events: readonly DiskEvent[], before: number): string[] {
  return events.slice(0, before).flatMap((event) => (event.type === 'ack' ? [event.text] : []))
}

/** Writes an image of a folder into another folder. */
export async function writeImage({ folders, files }: Image, root: string, target: string): Promise<void> {
  const place = (path: string) => join(target, relative(root, path))
  for (const path of folders) await mkdir(place(path), { recursive: true })
  for (const [path, data] of files) {
    await mkdir(dirname(place(path)), { recursive: true })
    await writeFile(place(path), data)
  }
}

function applyName(names: Map<string, number | null>, event: NameEvent): void {
  switch (event.type) {
    case 'create':
      names.set(event.path, event.file)
      break
    case 'folder':
      names.set(event.path, null)
      break
    case 'remove':
      names.delete(event.path)
      break
    case 'link': {
      const file = names.get(event.from)
      if (file !== undefined) names.set(event.to, file)
      break
    }
    case 'rename':
      for (const [path, file] of [...names]) {
        if (path !== event.from && !path.startsWith(`${event.from}/`)) continue
        names.delete(path)
        names.set(event.to + path.slice(event.from.length), file)
      }
  }
}

function contentOf(past: readonly DiskEvent[], file: number, random: () => number): Buffer {
  const ofFile = (event: DiskEvent): event is DataEvent =>
    (event.type === 'write' || event.type === 'truncate') && event.file === file
  const durable = durableUpTo(past, (synced) => synced === file)
  const pending = past.slice(durable).filter(ofFile)
  const kept = upTo(pending.length, random)
  const next = pending[kept]
  return applyData([
    ...past.slice(0, durable).filter(ofFile),
    ...pending.slice(0, kept),
    ...(next?.type === 'write' ? [tear(next, random)] : []),
  ])
}

/** Returns the number of events that the syncs of some files made durable. */
function durableUpTo(past: readonly DiskEvent[], isSynced: (file: number | null) => boolean): number {
  return past.reduce(
    (most, event) => (event.type === 'sync' && isSynced(event.file) ? Math.max(most, event.covers) : most),
    0,
  )
}

/** Returns the part of a write that reached the disk: none, its beginning, or its length in zeros. */
function tear(write: Extract<DiskEvent, { type: 'write' }>, random: () => number): DataEvent {
  const data = write.data.subarray(0, upTo(write.data.length, random))
  return { ...write, data: random() < 0.3 ? Buffer.alloc(data.length) : data }
}

/** Returns the content of a file after some events. */
function applyData(events: readonly DataEvent[]): Buffer {
  const endOf = (event: DataEvent) => (event.type === 'truncate' ? event.size : event.at + event.data.length)
  const content = Buffer.alloc(events.reduce((most, event) => Math.max(most, endOf(event)), 0))
  let size = 0
  for (const event of events) {
    if (event.type === 'write') {
      event.data.copy(content, event.at)
      size = Math.max(size, endOf(event))
    } else {
      content.fill(0, event.size)
      size = event.size
    }
  }
  return content.subarray(0, size)
}

/** Returns a random number from 0 to `most`, both inclusive. */
function upTo(most: number, random: () => number): number {
  return Math.floor(random() * (most + 1))
}

function isName(event: DiskEvent): event is NameEvent {
  return ['create', 'folder', 'rename', 'link', 'remove'].includes(event.type)
}
