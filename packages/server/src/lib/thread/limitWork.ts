import { setImmediate as nextTurn } from 'node:timers/promises'
import { readTaskMs } from './taskClock.ts'

/** Limits of one piece of work in a thread. */
export type WorkLimits = {
  /** Maximum processor time of the work in ms. */
  readonly processorMs: number
  /** Maximum time in ms until the answer. A thread that exceeds it is stuck, or the machine gives it no time. */
  readonly waitMs: number
}

/** The limit that work exceeded. */
export type Overrun = 'processor' | 'wait'

/** Says which limit was exceeded. */
export const describeOverrun = (overrun: Overrun, { processorMs, waitMs }: WorkLimits): string =>
  overrun === 'processor'
    ? `The work took more than ${processorMs} ms of processor time; the thread was terminated`
    : `No answer within ${waitMs} ms: the machine is too busy, or the thread is stuck; it was terminated`

/** A thread whose work is limited. */
export type LimitedThread = {
  readonly worker: {
    /** Returns the processor time of the thread in µs, even while it is busy. Node 24.6 and later have it. */
    cpuUsage?(): Promise<NodeJS.CpuUsage>
    terminate(): unknown
  }
  /** `loaded` resolves when the thread has loaded its script, to its number in the operating system, if known. */
  readonly connection: { readonly loaded: Promise<number | null> }
}

const TICK_MS = 250
/**
 * Where nothing tells the processor time of a thread, that of the process is used instead, divided by this, because it
 * includes all other threads. The event loop's utilization does not serve: it counts the time for which a busy machine lets
 * the thread wait as active.
 */
const PROCESS_DIVISOR = 10

/**
 * Ends a thread whose work exceeds its limits. Processor time decides, so that a busy machine ends no thread that only
 * waits for its turn. Loading the script does not count.
 * @param onOverrun called once, before the thread ends. An answer that has arrived by then comes first.
 * @returns a function that ends the watch
 */
export function limitWork(
  { worker, connection }: LimitedThread,
  { processorMs, waitMs }: WorkLimits,
  onOverrun: (overrun: Overrun) => void,
): () => void {
  let readUsedMs = async () => 0
  const tickMs = Math.min(TICK_MS, processorMs / 2, waitMs / 2)
  let isLoaded = false
  let isReading = false
  let isOver = false
  let waitedMs = 0

  const findOverrun = async (): Promise<Overrun | null> => {
    // Counts ticks, because the clock also advances while this process is suspended.
    waitedMs += tickMs
    if (waitedMs >= waitMs) return 'wait'
    // The reading of a thread without processor time stays open.
    if (!isLoaded || isReading) return null
    isReading = true
    const usedMs = await readUsedMs()
    isReading = false
    return usedMs >= processorMs ? 'processor' : null
  }
  const tick = async () => {
    const overrun = await findOverrun()
    if (overrun === null) return
    await nextTurn()
    if (isOver) return
    end()
    onOverrun(overrun)
    worker.terminate()
  }
  const timer = setInterval(() => void tick(), tickMs)
  const end = () => {
    isOver = true
    clearInterval(timer)
  }
  void connection.loaded.then((task) => {
    readUsedMs = createMeter(worker, task)
    isLoaded = true
  })
  return end
}

/**
 * Creates a meter of the processor time of a thread in ms, which counts from the first reading: Node 24.6 and later tell it,
 * and Linux does for every version of Node.
 */
function createMeter(worker: LimitedThread['worker'], task: number | null): () => Promise<number> {
  let before: number | undefined
  let isTold = task !== null
  const read = async () => {
    // Rejects for a thread that has ended.
    if (worker.cpuUsage !== undefined) return worker.cpuUsage().then(toMs, () => before ?? 0)
    const told = isTold && task !== null ? await readTaskMs(task) : null
    if (told !== null) return told
    // A thread that was measured before has ended.
    if (isTold && before !== undefined) return before
    isTold = false
    return toMs(process.cpuUsage()) / PROCESS_DIVISOR
  }
  return async () => {
    const now = await read()
    before ??= now
    return now - before
  }
}

const toMs = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000
