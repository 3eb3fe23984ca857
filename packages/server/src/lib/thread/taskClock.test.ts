import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { readTask, readTaskMs } from './taskClock.ts'

/** Starts a thread that says its number and then does as told. */
async function startThread(then: string) {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads')
     parentPort.postMessage(require('node:fs').readlinkSync('/proc/thread-self').split('/').at(-1))
     ${then}`,
    { eval: true },
  )
  onTestFinished(async () => void (await worker.terminate()))
  const task = Number(await new Promise((resolve) => worker.once('message', resolve)))
  return { worker, task }
}

test('default: on Linux, tells the time that a busy thread has taken, and not that of others', async () => {
  if (process.platform !== 'linux') return expect(readTask()).toBeNull()
  expect(readTask()).toBeGreaterThan(0)
  const busy = await startThread('for (;;);')
  const idle = await startThread('setInterval(() => {}, 1000)')
  const before = await readTaskMs(idle.task)
  await expect.poll(() => readTaskMs(busy.task), { timeout: 60_000 }).toBeGreaterThan(200)
  expect(((await readTaskMs(idle.task)) ?? 0) - (before ?? 0)).toBeLessThan(100)
})

test('behavior: an ended thread, or a system without /proc, has no time', async () => {
  expect(await readTaskMs(0)).toBeNull()
})
