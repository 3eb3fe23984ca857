import { expect, test } from 'vitest'
import { watchConfirmation } from './checkConfirmation.ts'

function open() {
  const state = { error: undefined as Error | undefined, reads: 0, changes: 0 }
  const { confirmation, check } = watchConfirmation({
    isDue: () => true,
    async reach() {
      state.reads++
      if (state.error !== undefined) throw state.error
    },
    isShown: async () => true,
    search: async () => 'unused',
    peek: async () => undefined,
  })
  check.onChange?.(() => state.changes++)
  return { state, confirmation, check }
}

test('default: nothing is read for the check while no call was refused', async () => {
  const { state, confirmation, check } = open()
  expect(await check.run()).toEqual({ level: 'ok', status: 'ok' })
  await confirmation.reach()
  expect(await check.run()).toEqual({ level: 'ok', status: 'ok' })
  expect([state.reads, state.changes]).toEqual([1, 0])
})

test('behavior: a refused call shows at once, and until the chain can be read again', async () => {
  const { state, confirmation, check } = open()
  state.error = new Error('The chain did not respond in time')
  for (let call = 0; call < 3; call++) await expect(confirmation.reach()).rejects.toThrow('did not respond')
  expect(state.changes).toBe(1)
  expect(await check.run()).toEqual({
    level: 'degraded',
    status: 'too slow',
    sentence: 'paid calls that wait for the chain are refused: The chain did not respond in time',
  })
  expect(state.reads).toBe(3)
  state.error = undefined
  await confirmation.reach()
  expect(await check.run()).toEqual({ level: 'ok', status: 'ok' })
})
