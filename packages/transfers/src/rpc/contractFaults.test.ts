import { beforeAll, expect, test } from 'vitest'
import { placeEventToken } from '../testing/eventToken.ts'
import { fillChain, TOKEN } from '../testing/fillChain.ts'
import type { Refused } from '../testing/quirkyRpc.ts'
import type { Address } from '../types.ts'

const chain = await fillChain()
const OTHER: Address = '0x0000000000000000000000000000000000070070'
const SUPPORTS_INTERFACE = '0x01ffc9a7'

beforeAll(() => placeEventToken(chain.anvil, OTHER))

const fault = (code: number, message: string, data?: unknown): Refused => ({ code, message, data })
/** How clients and providers say that the code of a contract failed. */
const CONTRACT_FAULTS: Readonly<Record<string, Refused>> = {
  'a revert': fault(3, 'execution reverted'),
  'a revert in -32000': fault(-32000, 'execution reverted'),
  'code 3 without words': fault(3, ''),
  'an invalid jump': fault(-32000, 'invalid jump destination'),
  'an invalid jump in camel case': fault(-32603, 'EVM error InvalidJump'),
  'a bad jump': fault(-32015, 'VM execution error.', 'Bad jump destination 5'),
  'no gas': fault(-32000, 'out of gas'),
  'no gas in one word': fault(-32603, 'EVM error: OutOfGas'),
  'too much gas': fault(-32000, 'gas required exceeds allowance (50000000)'),
  'a stack underflow': fault(-32000, 'stack underflow (0 <=> 2)'),
  'a stack overflow': fault(-32000, 'stack limit reached 1024 (1023)'),
  'a write': fault(-32000, 'write protection'),
  'a write in a static call': fault(-32015, 'state modification in static call'),
  'an invalid opcode': fault(-32000, 'invalid opcode: INVALID'),
  'an undefined opcode': fault(-32000, 'opcode 0xfe not defined'),
  'data of a revert alone': fault(-32603, 'Internal error', `0x08c379a0${'0'.repeat(192)}`),
  'data of a panic, nested': fault(-32000, 'failed', {
    originalError: { data: `0x4e487b71${'0'.repeat(64)}` },
  }),
  'data of an own error, nested': fault(-32000, 'failed', { data: `0xcd786059${'0'.repeat(64)}` }),
  'text of a revert, nested': fault(-32015, 'VM execution error.', { trace: ['Reverted 0x'] }),
}
/** Failures that say nothing about the contract. */
const RPC_FAULTS: Readonly<Record<string, Refused>> = {
  'a rate limit in -32000': fault(-32000, 'rate limit exceeded, 25 requests per second'),
  '-32000 alone': fault(-32000, 'Server error'),
  '-32015 alone': fault(-32015, 'VM execution error.'),
  '-32016 alone': fault(-32016, 'over rate limit'),
  'a node that is behind': fault(-32000, 'header not found'),
  'a timeout': fault(-32002, 'request timed out'),
  'HTTP 429, whatever its words': { status: 429, code: 3, message: 'execution reverted' },
  'no gas credits': fault(-32000, 'you are out of gas credits'),
}

for (const [name, refused] of Object.entries(CONTRACT_FAULTS))
  for (const noBatches of [false, true])
    test(`behavior: ${name} is the fault of the token, ${noBatches ? 'without' : 'with'} batches`, async () => {
      const refuseCall = ({ data }: { data: string }) =>
        data.startsWith(SUPPORTS_INTERFACE) ? refused : null
      const rpc = await chain.quirky({ refuseCall, noBatches })
      const source = chain.sourceOf([rpc.url])
      expect(await source.token(TOKEN)).toMatchObject({ isErc20: true, isErc721: false, symbol: 'USDC' })
      expect(source.rpcs[0]?.failures()).toBe(0)
    })

for (const [name, refused] of Object.entries(RPC_FAULTS))
  test(`error: ${name} is not the fault of the token: the next provider is asked`, async () => {
    const faulty = await chain.quirky({ refuseCall: () => refused })
    const well = await chain.quirky()
    expect(await chain.sourceOf([faulty.url, well.url]).token(TOKEN)).toMatchObject({ isErc20: true })
    expect(well.calls.get('eth_call')).toBeGreaterThan(0)
  })

test('error: a provider that says of every contract that it reverted convicts none', async () => {
  const rpc = await chain.quirky({ refuseCall: () => fault(-32000, 'execution reverted') })
  const source = chain.sourceOf([rpc.url])
  await expect(source.token(TOKEN)).rejects.toMatchObject({ code: 'unreachable' })
  const { number } = (await source.heads()).latest
  await expect(source.balanceAt({ token: TOKEN, holder: OTHER, block: number })).rejects.toMatchObject({
    code: 'unreachable',
  })
})

test('behavior: a balance that a token refuses to tell is told as reverted', async () => {
  const rpc = await chain.quirky({
    refuseCall: ({ to }) => (to === TOKEN ? fault(-32000, 'invalid jump destination') : null),
  })
  const source = chain.sourceOf([rpc.url])
  const { number } = (await source.heads()).latest
  await expect(source.balanceAt({ token: TOKEN, holder: OTHER, block: number })).rejects.toMatchObject({
    code: 'reverted',
  })
})

test('behavior: other tokens do not wait for one that no provider can read', async () => {
  const refuseCall = ({ to }: { to: string }) => (to === TOKEN ? fault(-32000, 'odd') : null)
  const rpc = await chain.quirky({ refuseCall })
  const source = chain.sourceOf([rpc.url])
  await source.heads()
  const bad = source.token(TOKEN).catch(({ code }) => code)
  // Its first attempt has failed.
  await expect.poll(() => rpc.calls.get('eth_call') ?? 0).toBeGreaterThan(0)
  const good = source.token(OTHER).then(({ isErc20 }) => isErc20)
  expect(await Promise.race([bad, good])).toBe(true)
  expect(await bad).toBe('unreachable')
})
