import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTransferSource } from './createTransferSource.ts'
import { createTokenAnswers } from './figures/tokenAnswers.ts'
import { emit, placeEventToken } from './testing/eventToken.ts'
import { type QuirkyRpc, startQuirkyRpc } from './testing/quirkyRpc.ts'
import { useChain } from './testing/useChain.ts'
import type { Address, TransferSource } from './types.ts'
import { createTokenWarmer } from './warmTokens.ts'

const TOKEN: Address = `0x${'7'.repeat(40)}`
const NO_TOKEN: Address = `0x${'8'.repeat(40)}`
const who = (n: number): Address => `0x${(n + 16).toString(16).padStart(40, '3')}`

const anvil = await useChain()
let rpc: QuirkyRpc
let source: TransferSource

beforeAll(async () => {
  await placeEventToken(anvil, TOKEN)
  await emit(anvil, TOKEN, [{ from: who(1), to: who(2), value: 5n }])
  rpc = await startQuirkyRpc((method, params) => anvil.rpc(method, params))
  source = createTransferSource({ chainId: 31337, urls: [rpc.url], now: Date.now })
})
afterAll(async () => {
  await source.close()
  await rpc.stop()
})

describe('createTokenWarmer', () => {
  test('default: after a refresh a query requests only the head and the newest logs', async () => {
    const answers = createTokenAnswers({ source, now: Date.now, checksum: (address) => address })
    const warmer = createTokenWarmer({ source, tokens: [TOKEN], windowSeconds: 3600 })
    // The first answer also checks balances, at most once in ten minutes.
    await answers.flow({ token: TOKEN })
    await emit(anvil, TOKEN, [{ from: who(3), to: who(4), value: 7n }])
    await warmer.refresh()
    rpc.calls.clear()
    const flow = await answers.flow({ token: TOKEN })
    expect(flow.topAccumulators.map(({ address, kind }) => [address, kind])).toEqual([
      [who(4), 'eoa'],
      [who(2), 'eoa'],
    ])
    // Without a fixed block time, finding the start of the window takes block requests.
    const { eth_getBlockByNumber: _, ...others } = Object.fromEntries(rpc.calls)
    // One for the range, one for the newest block by its hash.
    expect(others).toEqual({ eth_getLogs: 2 })
    const whales = await answers.whales({ token: TOKEN })
    expect(whales.rows.map(({ to }) => to.kind)).toEqual(['eoa', 'eoa'])
    expect(rpc.calls.get('eth_getCode')).toBeUndefined()
  })

  test('error: reports a token that fails and refreshes the others', async () => {
    const failed: Address[] = []
    const warmer = createTokenWarmer({
      source: {
        ...source,
        // Anvil cannot fail on demand.
        token: (address, options) =>
          address === NO_TOKEN ? Promise.reject(new Error('gone')) : source.token(address, options),
      },
      tokens: [NO_TOKEN, TOKEN],
      windowSeconds: 3600,
      onError: (token) => failed.push(token),
    })
    rpc.calls.clear()
    await warmer.refresh()
    expect(failed).toEqual([NO_TOKEN])
    expect(rpc.calls.get('eth_getLogs')).toBe(2)
  })
})
