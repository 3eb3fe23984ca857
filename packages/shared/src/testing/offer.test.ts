import { expect, test } from 'vitest'
import { askFor, offer } from './offer.ts'

test('default: each path starts once, when it is first asked for, and ends with the offer', async () => {
  const calls: string[] = []
  const { address, stop } = await offer(async (path) => {
    calls.push(`start ${path}`)
    return { answer: `this is ${path}`, stop: async () => calls.push(`stop ${path}`) }
  })
  expect(calls).toEqual([])
  const answers = await Promise.all(['a', 'a', 'b'].map((path) => askFor(address, path)))
  expect(answers).toEqual(['this is a', 'this is a', 'this is b'])
  await stop()
  expect(calls).toEqual(['start a', 'start b', 'stop a', 'stop b'])
  await expect(askFor(address, 'a')).rejects.toThrow()
})

test('error: who asks is told why it does not start', async () => {
  const { address, stop } = await offer(() => Promise.reject(new Error('no such binary')))
  await expect(askFor(address)).rejects.toThrow('no such binary')
  await stop()
})
