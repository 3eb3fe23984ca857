/** One finished and successful system call. */
export type Call = {
  readonly name: string
  readonly args: readonly string[]
  readonly result: number
  /** Path of the file that was opened; empty for other calls. */
  readonly opened: string
  /** Number of calls that had finished when this one began. */
  readonly beganAfter: number
}

const WHOLE = /^\d+ +(\w+)\((.*)\) += (-?\d+)(?:<([^>]*)>)?/
const BEGUN = /^(\d+) +\w+\((.*) <unfinished \.\.\.>$/
const RESUMED = /^(\d+) +<\.\.\. (\w+) resumed>(.*)\) += (-?\d+)(?:<([^>]*)>)?/

/**
 * Parses the output of `strace -f -y -xx` in the order in which calls finished. Failed calls and those that a kill
 * interrupted are left out.
 */
export function readTrace(text: string): Call[] {
  const calls: Call[] = []
  const begun = new Map<string, { readonly args: string; readonly beganAfter: number }>()
  const add = (
    name: string,
    args: string,
    result: string,
    opened: string | undefined,
    beganAfter: number,
  ) => {
    if (Number(result) < 0) return
    const found = { name, args: args.split(', ').filter((arg) => arg !== ''), result: Number(result) }
    calls.push({ ...found, opened: textOf(opened ?? ''), beganAfter })
  }
  for (const line of text.split('\n')) {
    const start = BEGUN.exec(line)
    if (start?.[1] !== undefined) {
      begun.set(start[1], { args: start[2] ?? '', beganAfter: calls.length })
      continue
    }
    const end = RESUMED.exec(line)
    if (end) {
      const [, thread = '', name = '', rest = '', result = '', opened] = end
      const first = begun.get(thread)
      if (first) add(name, first.args + rest, result, opened, first.beganAfter)
      continue
    }
    const [, name, args = '', result = '', opened] = WHOLE.exec(line) ?? []
    if (name !== undefined) add(name, args, result, opened, calls.length)
  }
  return calls
}

/** Returns the bytes of a quoted argument. */
export function bytesOf(arg: string): Buffer {
  return Buffer.from(arg.replace(/[^0-9a-f]/g, ''), 'hex')
}

/** Returns the text of a quoted argument. */
export function textOf(arg: string): string {
  return bytesOf(arg).toString()
}

/** Returns the number of a file descriptor, which is followed by its path. */
export function descriptorOf(arg: string): number {
  return Number.parseInt(arg, 10)
}
