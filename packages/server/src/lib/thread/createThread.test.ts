import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createThread, type Thread, ThreadError, type ThreadOptions } from './createThread.ts'
import { readThreadSeconds } from './threadSeconds.ts'

const toScript = (code: string) => new URL(`data:text/javascript,${encodeURIComponent(code)}`)

/** Answers with the input and the number of this thread's answers; hangs, sleeps, dies or takes memory on request. */
const SCRIPT = toScript(`
  import { readlinkSync } from 'node:fs'
  import { parentPort } from 'node:worker_threads'
  const waiting = []
  let answers = 0
  let task = null
  try {
    task = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
  } catch {}
  const answer = (id, result) => parentPort.postMessage({ kind: 'result', id, result })
  parentPort.postMessage({ kind: 'loaded', task })
  parentPort.on('message', ({ kind, id, input }) => {
    if (kind === 'abort') return answer(id, 'aborted')
    if (kind === 'finish') return parentPort.close()
    while (input === 'hang');
    if (input === 'lose') return
    if (input === 'wait') return waiting.push(id)
    if (input === 'go on') for (const one of waiting.splice(0)) answer(one, 'waited')
    if (input === 'sleep') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
    if (input === 'die') process.exit(1)
    if (input === 'throw') throw new Error('thrown')
    const kept = []
    while (input === 'eat') kept.push(new Array(1000).fill(0.5))
    answer(id, input + ' ' + ++answers)
  })
`)
const BROKEN = toScript('throw new Error("bad")')

type TestMethods = { echo(input: string): Promise<string> }
let thread: Thread<TestMethods> | undefined
afterEach(() => thread?.close())

function start(options: Partial<ThreadOptions> = {}) {
  const reasons: string[] = []
  const started = createThread<TestMethods>({
    name: 'test',
    script: SCRIPT,
    onError: (error) => reasons.push(error instanceof Error ? error.message : String(error)),
    ...options,
  })
  thread = started
  /** Calls the thread. Resolves to the answer, or to why there is none. */
  const ask = (input: string, call: Parameters<typeof started.call>[2] = {}) =>
    started.call('echo', input, call).catch((error: unknown) => {
      if (error instanceof ThreadError) return { isTooCostly: error.isTooCostly, message: error.message }
      throw error
    })
  return { thread: started, ask, reasons }
}

const OWN_FAULT = { isTooCostly: false }

test('behavior: its processor time is told by its name, until it ends', async () => {
  const { thread: own, ask } = start()
  const before = await readThreadSeconds()
  await ask('a')
  const isLinux = process.platform === 'linux'
  await expect.poll(async () => 'test' in (await readThreadSeconds())).toBe(isLinux)
  const during = await readThreadSeconds()
  if (isLinux) expect([during.main, during.test].every((seconds) => Number(seconds) > 0)).toBe(true)
  await own.close()
  expect(Object.keys(await readThreadSeconds())).toEqual(Object.keys(before))
})

describe('createThread', () => {
  test('default: answers calls in one thread', async () => {
    const { ask, reasons } = start()
    expect(await Promise.all(['a', 'b', 'c'].map((input) => ask(input)))).toEqual(['a 1', 'b 2', 'c 3'])
    expect(reasons).toEqual([])
  })

  test('behavior: a call that takes too much processor time ends the thread, and the next call starts another at once', async () => {
    const { ask, reasons } = start()
    const limits = { processorMs: 20, waitMs: 60_000 }
    const message = 'The work took more than 20 ms of processor time; the thread was terminated'
    for (let time = 0; time < 3; time++) {
      const [hung, behind] = [ask('hang', { limits }), ask('a')]
      expect(await hung).toEqual({ isTooCostly: true, message })
      expect(await behind).toEqual({ isTooCostly: true, message })
    }
    expect(await ask('a')).toBe('a 1')
    expect(reasons).toEqual([message, message, message])
  })

  test('behavior: what other threads of a busy machine take does not count', async () => {
    const busy = new Worker('for (;;);', { eval: true })
    onTestFinished(async () => void (await busy.terminate()))
    const { ask, reasons } = start()
    expect(await ask('a')).toBe('a 1')
    const waited = ask('wait', { limits: { processorMs: 40, waitMs: 60_000 } })
    const usedMs = () => (process.cpuUsage().user + process.cpuUsage().system) / 1000
    const before = usedMs()
    await expect.poll(() => usedMs() - before, { timeout: 60_000 }).toBeGreaterThan(1200)
    await ask('go on')
    expect(await waited).toBe('waited')
    expect(reasons).toEqual([])
  })

  test('behavior: a thread that waits for a processor for longer than its work may take is not ended', async () => {
    const { ask, reasons } = start()
    expect(await ask('sleep', { limits: { processorMs: 100, waitMs: 60_000 } })).toBe('sleep 1')
    expect(reasons).toEqual([])
  })

  test('behavior: a thread that never answers is ended, by a fault of ours', async () => {
    const { ask, reasons } = start()
    const message =
      'No answer within 100 ms: the machine is too busy, or the thread is stuck; it was terminated'
    expect(await ask('lose', { limits: { processorMs: 60_000, waitMs: 100 } })).toEqual({
      ...OWN_FAULT,
      message,
    })
    expect(reasons).toEqual([message])
    expect(await ask('a')).toBe('a 1')
  })

  test('behavior: limits apply after the grace of a call', async () => {
    const { ask, reasons } = start()
    const limits = { processorMs: 60_000, waitMs: 100 }
    expect(await ask('sleep', { limits, graceMs: 60_000 })).toBe('sleep 1')
    expect(reasons).toEqual([])
    const lost = ask('lose', { limits, graceMs: 100 })
    expect(await lost).toMatchObject(OWN_FAULT)
    expect(reasons).toHaveLength(1)
  })

  test.each([
    ['die', false, 'The thread ended with code 1'],
    ['throw', false, 'thrown'],
    ['eat', true, 'Worker terminated due to reaching memory limit: JS heap out of memory'],
  ])(
    'behavior: a thread that ends by %s fails its calls and starts again',
    async (input, isTooCostly, reason) => {
      const { ask, reasons } = start({ heapMb: 16 })
      expect(await ask(input)).toMatchObject({ isTooCostly, message: expect.stringContaining(reason) })
      expect(await ask('a')).toBe('a 1')
      expect(reasons).toEqual([reason])
    },
  )

  test('behavior: aborting a call aborts its work; one that was aborted before is not begun', async () => {
    const { ask } = start()
    const controller = new AbortController()
    const lost = ask('lose', { signal: controller.signal })
    expect(await ask('a')).toBe('a 1')
    controller.abort()
    expect(await lost).toBe('aborted')
    expect(await ask('b', { signal: controller.signal })).toMatchObject(OWN_FAULT)
    expect(await ask('c')).toBe('c 2')
  })

  test('behavior: closing fails open calls and refuses later ones; finishing answers them first', async () => {
    const closed = { ...OWN_FAULT, message: 'The thread is closed' }
    const { thread, ask, reasons } = start()
    const open = [ask('a'), ask('lose')]
    await open[0]
    await thread.close()
    expect(await open[1]).toEqual(closed)
    expect(await ask('a')).toEqual(closed)

    const other = start()
    const last = other.ask('a')
    await other.thread.finish()
    expect(await last).toBe('a 1')
    expect(await other.ask('a')).toEqual(closed)
    expect([...reasons, ...other.reasons]).toEqual([])
  })

  test('error: a thread that cannot be started', async () => {
    for (const script of [new URL('file:///no/such/script.js'), new URL('http://127.0.0.1/')]) {
      const { ask, reasons } = start({ script })
      expect(await ask('a')).toMatchObject(OWN_FAULT)
      expect(reasons).toHaveLength(1)
    }
  })
})

describe('the back-off of threads that end soon after their start', () => {
  /** Returns the number of threads that ended, after so many calls. */
  const countEnds = async ({ ask, reasons }: ReturnType<typeof start>, calls = 3) => {
    for (let time = 0; time < calls; time++) expect(await ask('throw')).toMatchObject(OWN_FAULT)
    return reasons.length
  }
  /** Lets the time pass that the back-off reads. */
  const useClock = () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
  }

  test('default: the delay doubles with each failed start, up to a minute', async () => {
    useClock()
    const started = start({ script: BROKEN })
    expect(await countEnds(started)).toBe(2)
    const delays = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]
    for (const [index, ms] of delays.entries()) {
      vi.advanceTimersByTime(ms - 1)
      expect(await countEnds(started)).toBe(index + 2)
      vi.advanceTimersByTime(1)
      expect(await countEnds(started)).toBe(index + 3)
    }
  })

  test('behavior: a long life resets the delay', async () => {
    useClock()
    const started = start()
    expect(await countEnds(started)).toBe(2)
    vi.advanceTimersByTime(500)
    expect(await started.ask('a')).toBe('a 1')
    vi.advanceTimersByTime(10_000)
    expect(await countEnds(started, 1)).toBe(3)
    expect(await countEnds(started)).toBe(5)
  })

  test('behavior: a call in the back-off says why the thread ended; the longest back-off is given', async () => {
    useClock()
    const started = start({ script: BROKEN, maxDelayMs: 700 })
    expect(await countEnds(started)).toBe(2)
    expect(await started.ask('a')).toMatchObject({
      message: expect.stringContaining('in back-off after failed starts: bad'),
    })
    for (const ends of [3, 4, 5]) {
      vi.advanceTimersByTime(700)
      expect(await countEnds(started)).toBe(ends)
    }
  })

  test('behavior: work that was too costly neither counts nor resets what counts', async () => {
    useClock()
    const started = start()
    expect(await countEnds(started, 1)).toBe(1)
    expect(await started.ask('hang', { limits: { processorMs: 20, waitMs: 60_000 } })).toMatchObject({
      isTooCostly: true,
    })
    expect(await countEnds(started)).toBe(3)
  })

  test('behavior: counts threads that the system refuses', async () => {
    useClock()
    expect(await countEnds(start({ script: new URL('http://127.0.0.1/') }))).toBe(2)
  })
})
