import { bytesOf, type Call, descriptorOf, textOf } from './readTrace.ts'

/** A change of a disk, or an acknowledgement that the process gave. Files are numbered, since their names change. */
export type DiskEvent =
  | { readonly type: 'create'; readonly file: number; readonly path: string }
  | { readonly type: 'folder'; readonly path: string }
  | { readonly type: 'rename'; readonly from: string; readonly to: string }
  /** A second name of a file. */
  | { readonly type: 'link'; readonly from: string; readonly to: string }
  | { readonly type: 'remove'; readonly path: string }
  | { readonly type: 'write'; readonly file: number; readonly at: number; readonly data: Buffer }
  | { readonly type: 'truncate'; readonly file: number; readonly size: number }
  /** Everything of the file before event `covers` is durable, and all names before it. Null is a folder. */
  | { readonly type: 'sync'; readonly file: number | null; readonly covers: number }
  | { readonly type: 'ack'; readonly text: string }

type Open = { readonly file: number | null; position: number; readonly appends: boolean }

/** Names, sizes and open files as the process sees them. */
type View = {
  readonly names: Map<string, number>
  readonly sizes: Map<number, number>
  readonly open: Map<number, Open>
}

/** Suffix of the file that SQLite maps into memory and rebuilds after a crash. */
const SHARED_MEMORY = '-shm'

/**
 * Follows the calls of one process in a folder that was empty.
 * @param root absolute path; calls elsewhere are left out
 */
export function readDiskEvents(calls: readonly Call[], root: string): DiskEvent[] {
  const events: DiskEvent[] = []
  /** Number of events after each call. */
  const eventsAfter: number[] = []
  const view: View = { names: new Map(), sizes: new Map(), open: new Map() }
  for (const call of calls) {
    const covers = call.beganAfter === 0 ? 0 : (eventsAfter[call.beganAfter - 1] ?? 0)
    events.push(...eventsOf(call, root, view, covers))
    eventsAfter.push(events.length)
  }
  return events
}

function eventsOf(call: Call, root: string, view: View, covers: number): DiskEvent[] {
  const { name, args } = call
  const [first = '', second = ''] = args
  const isInside = (path: string) =>
    (path === root || path.startsWith(`${root}/`)) && !path.endsWith(SHARED_MEMORY)
  switch (name) {
    case 'openat':
      return isInside(call.opened) ? openFile(call, view) : forget(view, call.result)
    case 'close':
      return forget(view, descriptorOf(first))
    case 'write':
    case 'pwrite64':
      return writeFile(call, view)
    case 'fsync':
    case 'fdatasync': {
      const open = view.open.get(descriptorOf(first))
      return open ? [{ type: 'sync', file: open.file, covers }] : []
    }
    case 'ftruncate': {
      const file = view.open.get(descriptorOf(first))?.file ?? null
      return file === null ? [] : truncate(view, file, Number(second))
    }
    case 'mkdir':
      return isInside(textOf(first)) ? [{ type: 'folder', path: textOf(first) }] : []
    case 'rename': {
      const [from, to] = [textOf(first), textOf(second)]
      return isInside(from) ? rename(view, from, to) : []
    }
    case 'link': {
      const [from, to] = [textOf(first), textOf(second)]
      return isInside(from) ? link(view, from, to) : []
    }
    case 'unlink':
    case 'rmdir': {
      const path = textOf(first)
      view.names.delete(path)
      return isInside(path) ? [{ type: 'remove', path }] : []
    }
    case 'lseek': {
      const open = view.open.get(descriptorOf(first))
      if (open) open.position = call.result
      return []
    }
    default: {
      const paths = args.filter((arg) => arg.startsWith('"')).map(textOf)
      if (view.open.has(descriptorOf(first)) || paths.some(isInside))
        throw new Error(`the replay does not know the call ${name}`)
      return []
    }
  }
}

function openFile({ args, opened: path, result }: Call, view: View): DiskEvent[] {
  const flags = new Set((args[2] ?? '').split('|'))
  if (flags.has('O_DIRECTORY') || !(flags.has('O_WRONLY') || flags.has('O_RDWR'))) {
    view.open.set(result, { file: null, position: 0, appends: false })
    return []
  }
  const known = view.names.get(path)
  const file = known ?? view.sizes.size
  view.names.set(path, file)
  view.open.set(result, { file, position: 0, appends: flags.has('O_APPEND') })
  if (known === undefined) {
    view.sizes.set(file, 0)
    return [{ type: 'create', file, path }]
  }
  return flags.has('O_TRUNC') ? truncate(view, file, 0) : []
}

function forget(view: View, descriptor: number): DiskEvent[] {
  view.open.delete(descriptor)
  return []
}

function writeFile({ name, args, result }: Call, view: View): DiskEvent[] {
  const [descriptor = '', quoted = '', , offset] = args
  const data = bytesOf(quoted).subarray(0, result)
  if (descriptorOf(descriptor) === 1) return acks(data)
  const open = view.open.get(descriptorOf(descriptor))
  if (!open || open.file === null) return []
  const size = view.sizes.get(open.file) ?? 0
  const at = name === 'pwrite64' ? Number(offset) : open.appends ? size : open.position
  if (name === 'write') open.position = at + result
  view.sizes.set(open.file, Math.max(size, at + result))
  return [{ type: 'write', file: open.file, at, data }]
}

function truncate(view: View, file: number, size: number): DiskEvent[] {
  view.sizes.set(file, size)
  return [{ type: 'truncate', file, size }]
}

function rename(view: View, from: string, to: string): DiskEvent[] {
  const moved = [...view.names].filter(([path]) => path === from || path.startsWith(`${from}/`))
  for (const [path, file] of moved) {
    view.names.delete(path)
    view.names.set(to + path.slice(from.length), file)
  }
  return [{ type: 'rename', from, to }]
}

function link(view: View, from: string, to: string): DiskEvent[] {
  const file = view.names.get(from)
  if (file !== undefined) view.names.set(to, file)
  return [{ type: 'link', from, to }]
}

function acks(data: Buffer): DiskEvent[] {
  const lines = data.toString().split('\n')
  return lines.flatMap((line) => (line.startsWith('ack ') ? [{ type: 'ack', text: line.slice(4) }] : []))
}
