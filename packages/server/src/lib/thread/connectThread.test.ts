import { MessageChannel } from 'node:worker_threads'
import { ChainError } from '@touchstone402/transfers/errors'
import { expect, onTestFinished, test } from 'vitest'
import { LeaseLostError } from '../../facts/storeError.ts'
import { type ConnectionOptions, connectThread, type Methods } from './connectThread.ts'

/** Connects two ends, as a thread and its owner are, and returns what the first calls the other's methods with. */
function connect<M extends Methods>(methods: M, options: ConnectionOptions = {}) {
  const { port1, port2 } = new MessageChannel()
  onTestFinished(() => port1.close())
  const other = connectThread<Methods>(port2, { ...options, methods })
  return { ...connectThread<M>(port1, options), other }
}

test('default: each end calls the other', async () => {
  const { call, other } = connect(
    { double: (input: number) => 2 * input },
    { methods: { greet: async (name: string) => `hello ${name}` } },
  )
  expect(await call('double', 21)).toBe(42)
  expect(await other.call('greet', 'you' as never)).toBe('hello you')
})

test('behavior: an error keeps its message and code, and its class if the caller names it', async () => {
  const { call } = connect(
    {
      lose: (message: string) => {
        throw new LeaseLostError(message)
      },
      read: async (message: string) => {
        throw new ChainError('too_large', message)
      },
      fail: async (code: string) => {
        throw Object.assign(new TypeError('not there'), { code })
      },
      throw: (thrown: string) => {
        throw thrown
      },
    },
    { errors: { ChainError, LeaseLostError } },
  )
  const lost = await call('lose', 'taken over').catch((error: unknown) => error)
  expect(lost).toBeInstanceOf(LeaseLostError)
  expect(lost).toMatchObject({ message: 'taken over', code: 'lease_lost' })
  // Its constructor takes the code first.
  const large = await call('read', 'many rows').catch((error: unknown) => error)
  expect(large).toBeInstanceOf(ChainError)
  expect(large).toMatchObject({ name: 'ChainError', message: 'many rows', code: 'too_large' })
  await expect(call('fail', 'ENOTFOUND')).rejects.toMatchObject({
    name: 'Error',
    message: 'not there',
    code: 'ENOTFOUND',
  })
  await expect(call('throw', 'text')).rejects.toThrow('text')
})

test('behavior: aborting a call aborts the signal of its method', async () => {
  const signals: AbortSignal[] = []
  const { call } = connect({
    wait: async (_: null, signal: AbortSignal) => {
      signals.push(signal)
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return 'ended'
    },
  })
  const [one, two] = [new AbortController(), new AbortController()]
  const calls = [call('wait', null, one.signal), call('wait', null, two.signal)]
  await expect.poll(() => signals.length).toBe(2)
  one.abort()
  expect(await calls[0]).toBe('ended')
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false])
  two.abort()
  expect(await calls[1]).toBe('ended')
})

test('behavior: an end that is asked to finish ends its open calls first', async () => {
  const said: string[] = []
  let answer = () => {}
  const { call, finish } = connect(
    {
      wait: async () => {
        await new Promise<void>((resolve) => {
          answer = resolve
        })
        said.push('answered')
      },
      ping: () => {},
    },
    { onFinish: async () => void said.push('finished') },
  )
  const waiting = call('wait', undefined)
  finish()
  await call('ping', undefined)
  expect(said).toEqual([])
  answer()
  await waiting
  await expect.poll(() => said).toEqual(['answered', 'finished'])
})

test('error: results and inputs that cannot be cloned, and a method that is not there', async () => {
  const { call } = connect<Methods>({ make: () => () => {} })
  await expect(call('make', undefined as never)).rejects.toThrow('could not be cloned')
  await expect(call('make', (() => {}) as never)).rejects.toThrow('could not be cloned')
  await expect(call('none', undefined as never)).rejects.toThrow('The thread has no method "none"')
})

test('error: closing rejects open calls with its reason', async () => {
  const { call, close } = connect({ wait: () => new Promise(() => {}) })
  const waiting = call('wait', undefined)
  close(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
})
