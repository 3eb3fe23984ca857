import { afterEach, describe, expect, test } from 'vitest'
import { createThreadQueue, type ThreadQueue, type ThreadQueueOptions } from './createThreadQueue.ts'

/** Answers with the work and the number of this thread's answers; hangs, dies or takes memory on request. */
const SCRIPT = new URL(
  `data:text/javascript,${encodeURIComponent(`
  import { parentPort } from 'node:worker_threads'
  let answers = 0
  parentPort.on('message', ({ id, request }) => {
    while (request === 'hang');
    if (request === 'die') process.exit(1)
    if (request === 'throw') throw new Error('thrown')
    const kept = []
    while (request === 'eat') kept.push(new Array(1000).fill(0.5))
    parentPort.postMessage({ id, kind: 'answer', answer: request + ' ' + ++answers })
  })
`)}`,
)

let queue: ThreadQueue<string, string> | undefined
afterEach(() => queue?.close())

function start(options: Partial<ThreadQueueOptions> = {}) {
  const errors: unknown[] = []
  queue = createThreadQueue<string, string>({
    ...{ script: SCRIPT, graceMs: 50, onError: (error) => errors.push(error) },
    ...options,
  })
  return { queue, errors }
}

describe('createThreadQueue', () => {
  test('default: answers in order, in one thread', async () => {
    const { queue, errors } = start()
    const answers = await Promise.all(['a', 'b', 'c'].map((work) => queue.ask(work)))
    expect(answers).toEqual(['a 1', 'b 2', 'c 3'])
    expect(errors).toEqual([])
  })

  test('behavior: work that takes too long has no answer, and what waits behind it has', async () => {
    const { queue, errors } = start({ limitMs: 500 })
    expect(await queue.ask('a')).toBe('a 1')
    const startedAt = performance.now()
    const answers = await Promise.all(['hang', 'b', 'hang', 'c'].map((work) => queue.ask(work)))
    expect(answers).toEqual([undefined, 'b 1', undefined, 'c 1'])
    expect(performance.now() - startedAt).toBeGreaterThan(1000)
    expect(errors.map(String)).toEqual(Array(2).fill('Error: no answer within 500 ms; the thread is ended'))
  })

  test.each(['die', 'throw', 'eat'])('behavior: a thread that ends by %s starts again', async (work) => {
    const { queue } = start({ heapMb: 16 })
    expect(await Promise.all([queue.ask(work), queue.ask('a')])).toEqual([undefined, 'a 1'])
  })

  test('behavior: an answer that is there when this thread was busy counts', async () => {
    const { queue, errors } = start({ limitMs: 500 })
    await queue.ask('a')
    const answer = queue.ask('b')
    await Promise.resolve()
    const until = performance.now() + 700
    while (performance.now() < until);
    expect(await answer).toBe('b 2')
    expect(errors).toEqual([])
  })

  test('behavior: skips work whose signal aborted before its turn', async () => {
    const { queue } = start()
    const controller = new AbortController()
    const answers = [queue.ask('a'), queue.ask('b', controller.signal), queue.ask('c')]
    controller.abort()
    expect(await Promise.all(answers)).toEqual(['a 1', undefined, 'c 2'])
  })

  test('error: work has no answer after closing, or without a script', async () => {
    const { queue } = start()
    await queue.ask('a')
    const asked = [queue.ask('hang'), queue.ask('b')]
    await new Promise((resolve) => setTimeout(resolve, 50))
    await queue.close()
    expect(await Promise.all(asked)).toEqual([undefined, undefined])
    expect(await queue.ask('a')).toBeUndefined()
    const { queue: broken, errors } = start({ script: new URL('file:///no/such/script.js') })
    expect(await broken.ask('a')).toBeUndefined()
    expect(errors).toHaveLength(1)
  })
})
