import { afterEach, describe, expect, test } from 'vitest'
import { createThreadQueue, type ThreadQueue, type ThreadQueueOptions } from './createThreadQueue.ts'

/** Answers with the work and the number of this thread's answers; hangs, sleeps, dies or takes memory on request. */
const SCRIPT = new URL(
  `data:text/javascript,${encodeURIComponent(`
  import { parentPort } from 'node:worker_threads'
  let answers = 0
  parentPort.postMessage({ id: 0, kind: 'loaded' })
  parentPort.on('message', ({ id, request }) => {
    while (request === 'hang');
    if (request === 'lose') return
    if (request === 'sleep') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000)
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
    script: SCRIPT,
    onError: (error) => errors.push(error),
    ...options,
  })
  return { queue, errors }
}

const OWN_FAULT = { failure: 'own_fault' }
const LIMITS = { processorMs: 200, waitMs: 60_000 }

describe('createThreadQueue', () => {
  test('default: answers in order, in one thread', async () => {
    const { queue, errors } = start()
    const answers = await Promise.all(['a', 'b', 'c'].map((work) => queue.ask(work)))
    expect(answers).toEqual([{ answer: 'a 1' }, { answer: 'b 2' }, { answer: 'c 3' }])
    expect(errors).toEqual([])
  })

  test('behavior: work that takes too much processor time fails, and what waits behind it is done', async () => {
    const { queue, errors } = start({ limits: LIMITS })
    expect(await queue.ask('a')).toEqual({ answer: 'a 1' })
    const answers = await Promise.all(['hang', 'b', 'hang', 'c'].map((work) => queue.ask(work)))
    const failed = { failure: 'too_costly' }
    expect(answers).toEqual([failed, { answer: 'b 1' }, failed, { answer: 'c 1' }])
    const said = 'Error: the work took more than 200 ms of processor time; the thread is ended'
    expect(errors.map(String)).toEqual([said, said])
  })

  test('behavior: a thread that waits for a processor for longer than its work may take is not ended', async () => {
    const { queue, errors } = start({ limits: LIMITS })
    expect(await queue.ask('sleep')).toEqual({ answer: 'sleep 1' })
    expect(errors).toEqual([])
  })

  test('behavior: a thread that never answers is ended, by a fault of ours', async () => {
    const { queue, errors } = start({ limits: { processorMs: 200, waitMs: 500 } })
    expect(await queue.ask('lose')).toEqual({ failure: 'own_fault' })
    expect(errors.map(String)).toEqual([
      'Error: no answer within 500 ms: the machine is too busy, or the thread is stuck; it is ended',
    ])
  })

  test.each([
    ['die', 'own_fault'],
    ['throw', 'own_fault'],
    ['eat', 'too_costly'],
  ])('behavior: a thread that ends by %s starts again; the fault is %s', async (work, failure) => {
    const { queue } = start({ heapMb: 16 })
    expect(await Promise.all([queue.ask(work), queue.ask('a')])).toEqual([{ failure }, { answer: 'a 1' }])
  })

  test('behavior: skips work whose signal aborted before its turn', async () => {
    const { queue } = start()
    const controller = new AbortController()
    const answers = [queue.ask('a'), queue.ask('b', controller.signal), queue.ask('c')]
    controller.abort()
    expect(await Promise.all(answers)).toEqual([{ answer: 'a 1' }, OWN_FAULT, { answer: 'c 2' }])
  })

  test('error: work fails after closing, or without a script', async () => {
    const { queue } = start()
    await queue.ask('a')
    const asked = [queue.ask('lose'), queue.ask('b')]
    await queue.close()
    expect(await Promise.all(asked)).toEqual([OWN_FAULT, OWN_FAULT])
    expect(await queue.ask('a')).toEqual(OWN_FAULT)
    const { queue: broken, errors } = start({ script: new URL('file:///no/such/script.js') })
    expect(await broken.ask('a')).toEqual(OWN_FAULT)
    expect(errors).toHaveLength(1)
  })
})
