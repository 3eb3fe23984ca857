import { constants } from 'node:fs'
import type { Order, Owner } from './order.ts'

/** A file, independent of its names: its content, and the part that survives a power cut. */
export type Inode = {
  readonly number: number
  data: Buffer
  durable: Buffer
  mode: number
  isFolder: boolean
}

/** Fault of a disk. */
export type DiskFault = 'none' | 'full' | 'syncFails'

/** The disk of a machine, which its processes share. */
export type Disk = ReturnType<typeof createDisk>

/** Creates an empty disk. */
export function createDisk() {
  let count = 1
  const names = new Map<string, Inode>()
  /** Names that a power cut leaves. */
  let durable = new Map<string, Inode>()
  const create = (isFolder: boolean, mode: number): Inode => {
    count += 1
    return { number: count, data: Buffer.alloc(0), durable: Buffer.alloc(0), mode, isFolder }
  }
  const disk = {
    fault: 'none' as DiskFault,
    names,
    create,
    /** Makes a file's content and its names safe. */
    sync(inode: Inode): void {
      if (disk.fault === 'syncFails') throw fail('EIO')
      inode.durable = Buffer.from(inode.data)
      for (const [name, one] of names) if (one === inode) durable.set(name, one)
      if (inode.isFolder) durable = new Map(names)
    },
    write(inode: Inode, bytes: Uint8Array): number {
      // A full disk takes the begin of a write.
      const taken = disk.fault === 'full' ? bytes.subarray(0, bytes.length >> 1) : bytes
      inode.data = Buffer.concat([inode.data, taken])
      return taken.length
    },
    /** Changes a file behind the back of those who use it, for good. @param left what remains of its content */
    tamper(path: string, how: 'removes' | 'cuts' | 'replaces', left: Buffer): void {
      const inode = names.get(path)
      if (inode === undefined) return
      const changed = how === 'cuts' ? inode : create(false, inode.mode)
      Object.assign(changed, { data: left, durable: left })
      for (const map of [names, durable]) {
        if (how === 'removes') map.delete(path)
        else map.set(path, changed)
      }
    },
    links: (inode: Inode): number => [...names.values()].filter((one) => one === inode).length,
    /**
     * Loses what was not synced.
     * @param kept share of each unsynced tail that reached the disk, from 0 to 1
     * @param isBlank whether the rest of a tail is zeros instead of missing
     */
    cutPower(kept: number, isBlank: boolean): void {
      for (const inode of new Set([...names.values(), ...durable.values()])) {
        const tail = inode.data.subarray(inode.durable.length)
        const rest = tail.subarray(0, Math.floor(tail.length * kept))
        const blank = Buffer.alloc(isBlank ? tail.length - rest.length : 0)
        inode.data = Buffer.concat([inode.durable, rest, blank])
        inode.durable = inode.data
      }
      names.clear()
      for (const [name, inode] of durable) names.set(name, inode)
    },
  }
  return disk
}

/** Creates the error of a failed call of the system. */
export const fail = (code: string): NodeJS.ErrnoException => Object.assign(new Error(code), { code })

/** The process that asks, and its world. */
type Place = { readonly process: Owner; readonly world: { readonly disk: Disk; readonly order: Order } }

/** Returns the part of `node:fs/promises` that the guard uses, for the process that runs at a place. */
export function createFiles(place: Place) {
  const act = <T>(label: string, effect: (disk: Disk) => T): Promise<T> => {
    const { process, world } = place
    return world.order.act(process, `disk ${label}`, () => effect(world.disk))
  }
  /** Reads at once: what others write meanwhile may come before the next change of this process as well. */
  const look = async <T>(effect: (disk: Disk) => T): Promise<T> =>
    place.process.isDead ? new Promise(() => {}) : effect(place.world.disk)
  const need = (disk: Disk, path: string): Inode => {
    const inode = disk.names.get(path)
    if (inode === undefined) throw fail('ENOENT')
    return inode
  }
  const parentOf = (path: string) => path.slice(0, path.lastIndexOf('/')) || '/'
  const put = (disk: Disk, path: string, inode: Inode) => {
    if (parentOf(path) !== '/' && !disk.names.get(parentOf(path))?.isFolder) throw fail('ENOENT')
    if (disk.fault === 'full') throw fail('ENOSPC')
    disk.names.set(path, inode)
    return inode
  }
  const short = (path: string) => path.slice(path.lastIndexOf('/') + 1)

  const statOf = (disk: Disk, inode: Inode, isBig: boolean) => {
    const to = (value: number) => (isBig ? BigInt(value) : value)
    return {
      ino: to(inode.number),
      dev: to(1),
      size: to(inode.data.length),
      nlink: to(disk.links(inode)),
      mode: to(inode.mode),
      isFile: () => !inode.isFolder,
      isDirectory: () => inode.isFolder,
      isSocket: () => false,
    }
  }
  const handleOf = (inode: Inode, name: string) => ({
    stat: ({ bigint = false } = {}) => look((disk) => statOf(disk, inode, bigint)),
    read: (buffer: Uint8Array, offset: number, length: number, position: number) =>
      look(() => {
        const bytes = inode.data.subarray(position, position + length)
        buffer.set(bytes, offset)
        return { bytesRead: bytes.length, buffer }
      }),
    write: (bytes: Uint8Array) =>
      act(`write ${name} ${bytes.length}`, (disk) => ({ bytesWritten: disk.write(inode, bytes) })),
    datasync: () => act(`sync ${name}`, (disk) => disk.sync(inode)),
    sync: () => act(`sync ${name}`, (disk) => disk.sync(inode)),
    close: () => look(() => {}),
  })

  return {
    open: (path: string, flags: number | 'r', mode = 0o600) =>
      act(`open ${short(path)}`, (disk) => {
        const creates = flags !== 'r' && (flags & constants.O_CREAT) !== 0
        const inode =
          creates && !disk.names.has(path) ? put(disk, path, disk.create(false, mode)) : need(disk, path)
        return handleOf(inode, short(path))
      }),
    stat: (path: string, { bigint = false } = {}) => look((disk) => statOf(disk, need(disk, path), bigint)),
    readdir: (path: string) =>
      look((disk) => {
        need(disk, path)
        return [...disk.names.keys()].filter((name) => parentOf(name) === path).map(short)
      }),
    mkdir: (path: string) =>
      act(
        `mkdir ${short(path)}`,
        (disk) => void (disk.names.has(path) || put(disk, path, disk.create(true, 0o700))),
      ),
    readFile: (path: string) => look((disk) => need(disk, path).data.toString()),
    writeFile: (path: string, text: string, { mode = 0o600, flag = 'w', flush = false } = {}) =>
      act(`writeFile ${short(path)}`, (disk) => {
        const inode = disk.names.get(path) ?? put(disk, path, disk.create(false, mode))
        if (flag === 'w') inode.data = Buffer.alloc(0)
        const bytes = Buffer.from(text)
        if (disk.write(inode, bytes) < bytes.length) throw fail('ENOSPC')
        if (flush) disk.sync(inode)
      }),
    rm: (path: string, { force = false } = {}) =>
      act(`rm ${short(path)}`, (disk) => {
        if (!disk.names.delete(path) && !force) throw fail('ENOENT')
      }),
    link: (from: string, to: string) =>
      act(`link ${short(to)}`, (disk) => {
        if (disk.names.has(to)) throw fail('EEXIST')
        put(disk, to, need(disk, from))
      }),
  }
}
