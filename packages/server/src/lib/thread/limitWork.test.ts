import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type LimitedThread, limitWork, type Overrun } from './limitWork.ts'

const LIMITS = { processorMs: 1000, waitMs: 10_000 }

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Watches a thread whose processor time the test sets, in ms. */
function watch({ isLoaded = true, isMeasured = true } = {}) {
  const used = { threadMs: 0, processMs: 0 }
  const overruns: Overrun[] = []
  let load = () => {}
  const loaded = new Promise<null>((resolve) => {
    load = () => resolve(null)
  })
  if (isLoaded) load()
  const terminate = vi.fn()
  const worker: LimitedThread['worker'] = {
    terminate,
    ...(isMeasured && { cpuUsage: async () => ({ user: used.threadMs * 900, system: used.threadMs * 100 }) }),
  }
  vi.spyOn(process, 'cpuUsage').mockImplementation(() => ({ user: used.processMs * 1000, system: 0 }))
  const end = limitWork({ worker, connection: { loaded } }, LIMITS, (overrun) => overruns.push(overrun))
  /** Lets time pass in which the thread and the process take a share of a processor. */
  const pass = async (ms: number, share: Partial<Record<keyof typeof used, number>> = {}) => {
    for (let passed = 0; passed < ms; passed += 250) {
      used.threadMs += 250 * (share.threadMs ?? 0)
      used.processMs += 250 * (share.processMs ?? 0)
      await vi.advanceTimersByTimeAsync(250)
      await nextTurn()
    }
  }
  return { pass, overruns, terminate, end, load }
}

describe('limitWork', () => {
  test('default: ends a thread that takes more processor time than it may', async () => {
    const { pass, overruns, terminate } = watch()
    await pass(1000, { threadMs: 1 })
    expect(overruns).toEqual([])
    await pass(250, { threadMs: 1 })
    expect(overruns).toEqual(['processor'])
    expect(terminate).toHaveBeenCalledOnce()
    await pass(20_000, { threadMs: 1 })
    expect(overruns).toEqual(['processor'])
  })

  test('behavior: time in which the machine is busy with other work does not count', async () => {
    const { pass, overruns } = watch()
    await pass(9500, { threadMs: 0.1, processMs: 2 })
    expect(overruns).toEqual([])
  })

  test('behavior: a thread without an answer ends at last, however little time it took', async () => {
    const { pass, overruns, terminate } = watch()
    await pass(9750)
    expect(overruns).toEqual([])
    await pass(250)
    expect(overruns).toEqual(['wait'])
    expect(terminate).toHaveBeenCalledOnce()
  })

  test('behavior: loading a new thread does not count as work, but must end', async () => {
    const { pass, overruns, load } = watch({ isLoaded: false })
    await pass(5000, { threadMs: 1 })
    load()
    await pass(1000, { threadMs: 1 })
    expect(overruns).toEqual([])
    await pass(250, { threadMs: 1 })
    expect(overruns).toEqual(['processor'])

    const stuck = watch({ isLoaded: false })
    await stuck.pass(10_000, { threadMs: 1 })
    expect(stuck.overruns).toEqual(['wait'])
  })

  test('behavior: where a thread cannot be measured, a tenth of the time of the process counts', async () => {
    const { pass, overruns } = watch({ isMeasured: false })
    await pass(5000, { processMs: 2 })
    expect(overruns).toEqual([])
    await pass(250, { processMs: 2 })
    expect(overruns).toEqual(['processor'])
  })

  test('behavior: an answer that arrived while this thread was busy ends the watch', async () => {
    const { pass, overruns, terminate, end } = watch()
    await pass(1000, { threadMs: 1 })
    // The message of the answer comes in after the timer.
    const ticked = vi.advanceTimersByTimeAsync(250)
    setImmediate(end)
    await ticked
    await nextTurn()
    await pass(20_000, { threadMs: 1 })
    expect(overruns).toEqual([])
    expect(terminate).not.toHaveBeenCalled()
  })
})
