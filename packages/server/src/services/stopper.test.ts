import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createStopper } from './stopper.ts'

function start() {
  const lines: string[] = []
  const ends: string[] = []
  const stopper = createStopper((_, line) => lines.push(line))
  /** Registers a part that closes when others have, or at once. */
  const part = (
    name: string,
    phase?: 'calls' | 'work' | 'storage',
    others: () => Promise<unknown> = async () => {},
  ) => stopper.onStop(name, () => others().then(() => void ends.push(name)), phase)
  return { ...stopper, part, lines, ends }
}

const never = () => new Promise(() => {})

test('default: finishes calls, then closes all work at once, then storage', async () => {
  const { stop, stopping, part, lines, ends } = start()
  let closed = () => {}
  const isChainClosed = new Promise<void>((resolve) => {
    closed = resolve
  })
  part('store', 'storage')
  // Would never close if the chain had its turn after it.
  part('probes', 'work', () => isChainClosed.then(() => sleep(0)))
  part('chain', 'work', async () => closed())
  part('calls', 'calls', () => sleep(50))
  const stopped = stop({ limitMs: 600_000 })
  expect(stopping.aborted).toBe(true)
  expect(await stopped).toBe(true)
  expect(ends).toEqual(['calls', 'chain', 'probes', 'store'])
  expect(lines).toEqual([])
})

test('behavior: parts that never close end with the limit, and are named in one line', async () => {
  const measure = async () => {
    const { stop, onStop, part, lines, ends } = start()
    onStop('calls', never, 'calls')
    onStop('crawl', never)
    onStop('chain', never)
    part('store', 'storage')
    const startedAt = performance.now()
    expect(await stop({ limitMs: 2000 })).toBe(true)
    const tookMs = performance.now() - startedAt
    expect(ends).toEqual(['store'])
    expect(lines).toEqual([
      'stop: ended by STOP_SECONDS: calls still open, crawl still open, chain still open',
    ])
    return tookMs
  }
  // Other processes can only lengthen a stop.
  await expect.poll(measure).toBeLessThan(2000)
})

test('behavior: a part that fails, or lost something, makes the stop unclean and holds up no other part', async () => {
  const { stop, onStop, lose, part, lines, ends } = start()
  onStop('probes', () => Promise.reject(new Error('gone')))
  onStop('chain', () => {
    throw new Error('broken')
  })
  part('store', 'storage')
  expect(await stop()).toBe(false)
  expect(ends).toEqual(['store'])
  expect(lines.sort()).toEqual(['stop: chain: broken', 'stop: probes: gone'])

  const other = start()
  other.onStop('calls', () => lose('nothing'), 'calls')
  other.onStop('calls', () => other.lose('1 paid call'), 'calls')
  expect(await other.stop()).toBe(false)
  expect(other.lines).toEqual(['stop: ended by STOP_SECONDS: 1 paid call'])
})

test('behavior: stops once, however often it is called', async () => {
  const { stop, part, ends } = start()
  part('store', 'storage')
  await Promise.all([stop(), stop()])
  await stop()
  expect(ends).toEqual(['store'])
})
