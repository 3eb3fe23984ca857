import { setImmediate as nextTurn } from 'node:timers/promises'

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
  /** `loaded` resolves when the thread has loaded its script. */
  readonly connection: { readonly loaded: Promise<void> }
}

const TICK_MS = 250
/**
 * Before Node 24.6 nothing tells the processor time of a thread. That of the process is used instead, divided by this,
 * because it includes all other threads.
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
  const readUsedMs = createMeter(worker)
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
  void connection.loaded.then(() => {
    isLoaded = true
  })
  return end
}

/** Creates a meter of the processor time of a thread in ms. It counts from the first reading. */
function createMeter(worker: LimitedThread['worker']): () => Promise<number> {
  let before: number | undefined
  const read = async () => {
    if (worker.cpuUsage === undefined) return toMs(process.cpuUsage()) / PROCESS_DIVISOR
    // Rejects for a thread that has ended.
    return worker.cpuUsage().then(toMs, () => before ?? 0)
  }
  return async () => {
    const now = await read()
    before ??= now
    return now - before
  }
}

const toMs = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000
