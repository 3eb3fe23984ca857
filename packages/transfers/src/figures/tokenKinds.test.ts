import type { Pulse } from '@touchstone402/shared'
import { getAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTransferSource } from '../createTransferSource.ts'
import { type Anvil, startAnvil } from '../testing/anvil.ts'
import { openTokenKinds, type TokenKind, type TokenKinds } from '../testing/tokenKinds.ts'
import type { Address, TransferSource } from '../types.ts'
import { createTokenAnswers, type TokenAnswers } from './tokenAnswers.ts'

const ONE = 10n ** 18n
const fresh = (n: number): Address => `0x${(n + 16).toString(16).padStart(40, '4')}`

let anvil: Anvil
let kinds: TokenKinds
let source: TransferSource
let answers: TokenAnswers

beforeAll(async () => {
  anvil = await startAnvil()
  kinds = await openTokenKinds(anvil.url)
  source = createTransferSource({ chainId: 31337, urls: [anvil.url] })
  answers = createTokenAnswers({ source, now: Date.now, checksum: (address) => getAddress(address) })
})
afterAll(async () => {
  await source.close()
  await anvil.stop()
})

const deploy = (kind: TokenKind, symbol = 'TKN') =>
  kinds.deployToken(kind, { name: 'Token', symbol, decimals: 18, supply: 1_000_000n * ONE })
const transfer = (token: Address, to: Address, value: bigint) =>
  kinds.send('Plain', token, 'transfer', [to, value])
const caveatsOf = ({ caveats }: Pick<Pulse, 'caveats'>) =>
  caveats.filter((caveat) => !caveat.startsWith('The newest blocks'))

describe('kinds of tokens', () => {
  test('default: a plain token of 18 decimals has no warning and no caveat', async () => {
    const token = await deploy('Plain')
    for (let i = 0; i < 4; i++) await transfer(token, fresh(i), 12n * ONE + BigInt(i))
    const pulse = await answers.pulse({ token })
    expect(pulse.token).toMatchObject({ decimals: 18, implementation: null, warnings: [] })
    expect(pulse.largest).toEqual({ raw: '1000000000000000000000000', amount: '1000000' })
    expect(pulse.median).toEqual({ raw: '12000000000000000002', amount: '12.000000000000000002' })
    expect(caveatsOf(pulse)).toEqual([])
    const whales = await answers.whales({ token, min: '12.000000000000000003' })
    expect(whales.rows.map((row) => row.amount)).toEqual(['1000000', '12.000000000000000003'])
  })

  test('behavior: a fee that is not logged is measured on balances', async () => {
    const token = await deploy('SilentFee')
    for (let i = 0; i < 3; i++) await transfer(token, fresh(i), BigInt(i + 5) * ONE)
    const flow = await answers.flow({ token })
    expect(flow.token.warnings).toEqual(['takes_transfer_fee'])
    expect(caveatsOf(flow)).toEqual([
      'The token takes a transfer fee: recipients got 2 % less than the amounts shown.',
    ])
    expect(flow.sumToZero.ok).toBe(true)
  })

  test('behavior: a logged fee is found in the logs, and its volume named', async () => {
    const token = await deploy('LoggedFee')
    const { rpc } = anvil
    // Several senders: a fee that only one takes would be a router's.
    const accounts = (await rpc('eth_accounts')) as Address[]
    for (const account of accounts.slice(1, 4)) await transfer(token, account, 100n * ONE)
    for (const [i, account] of accounts.slice(1, 4).entries())
      await kinds.send('Plain', token, 'transfer', [fresh(i), BigInt(i + 5) * ONE], account)
    const pulse = await answers.pulse({ token })
    expect(pulse.token.warnings).toEqual(['takes_transfer_fee'])
    expect(caveatsOf(pulse)).toEqual([
      `The token takes a transfer fee of 2 %, which counts as transfers to ${getAddress(token)}.`,
    ])
  })

  test('behavior: a rebase is told from a fee', async () => {
    const token = await deploy('Rebasing')
    for (let i = 0; i < 3; i++) await transfer(token, fresh(i), BigInt(i + 5) * ONE)
    expect((await answers.pulse({ token, window: '5m' })).token.warnings).toEqual([])
    await kinds.send('Rebasing', token, 'setTenths', [11n])
    const momentum = await answers.momentum({ token })
    expect(momentum.token.warnings).toEqual(['rebases'])
    expect(caveatsOf(momentum).join(' ')).toContain('The token rebases')
  })

  test('behavior: a proxy is answered as its token, with its implementation', async () => {
    const implementation = await kinds.deploy('Plain')
    const token = await kinds.deploy('Proxy', [implementation])
    await kinds.send('Plain', token, 'init', ['Behind', 'BHD', 6, 5_000_000n])
    await transfer(token, fresh(1), 1_000_000n)
    const pulse = await answers.pulse({ token })
    expect(pulse.token).toMatchObject({
      symbol: 'BHD',
      decimals: 6,
      implementation: getAddress(implementation),
      warnings: [],
    })
    expect(pulse.volume.amount).toBe('6')
    expect(caveatsOf(pulse)).toEqual([
      `The token is a proxy for the code at ${getAddress(implementation)}, which may be replaced.`,
    ])
  })

  test('behavior: a look-alike symbol is warned of', async () => {
    const usdc = await deploy('Plain', 'USDC')
    const known = createTokenAnswers({
      source,
      now: Date.now,
      checksum: (address) => getAddress(address),
      wellKnown: [{ symbol: 'USDC', address: usdc }],
    })
    // Cyrillic Ѕ and С.
    const copy = await known.pulse({ token: await deploy('Plain', 'U\u0405D\u0421') })
    expect(copy.token.warnings).toEqual(['symbol_looks_like_another_token'])
    expect(copy.caveats.join(' ')).toContain('looks like that of a well-known token')
    expect((await known.pulse({ token: usdc })).token.warnings).toEqual([])
    expect((await known.pulse({ token: await deploy('Plain', 'usd c') })).token.warnings).toEqual([
      'symbol_of_another_token',
    ])
  })

  test('error: refuses NFTs, also those that hide their interface', async () => {
    for (const kind of ['Nft', 'MaskedNft'] as const) {
      const token = await kinds.deploy(kind)
      await kinds.send(kind, token, 'mint', [fresh(1)])
      for (const ask of [answers.pulse, answers.whales, answers.flow, answers.momentum])
        await expect(ask({ token })).rejects.toMatchObject({ name: 'TokenError', code: 'not_erc20' })
    }
  })
})
