import { FlowSchema, MomentumSchema, type Pulse, PulseSchema, WhalesSchema } from '@touchstone402/shared'
import { getAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTransferSource } from '../createTransferSource.ts'
import { openTokenKinds, type TokenKind, type TokenKinds } from '../testing/tokenKinds.ts'
import { useChain } from '../testing/useChain.ts'
import type { Address, TransferSource } from '../types.ts'
import { createTokenAnswers, type TokenAnswers } from './tokenAnswers.ts'

const ONE = 10n ** 18n
const SUPPLY_CAVEAT =
  'Deposits and withdrawals, which the token logs without a transfer, count as mints and burns.'
const fresh = (n: number): Address => `0x${(n + 16).toString(16).padStart(40, '4')}`

const anvil = await useChain()
let kinds: TokenKinds
let source: TransferSource
let answers: TokenAnswers

beforeAll(async () => {
  kinds = await openTokenKinds(anvil.url)
  source = createTransferSource({ chainId: 31337, urls: [anvil.url], now: Date.now })
  answers = createTokenAnswers({ source, now: Date.now, checksum: (address) => getAddress(address) })
})
afterAll(async () => {
  await source.close()
})

const deploy = (kind: TokenKind, symbol = 'TKN') =>
  kinds.deployToken(kind, { name: 'Token', symbol, decimals: 18, supply: 1_000_000n * ONE })
const transfer = (token: Address, to: Address, value: bigint) =>
  kinds.send('Plain', token, 'transfer', [to, value])
/** Caveats, without those of blocks that are not final, or were read once so far. */
const caveatsOf = ({ caveats }: Pick<Pulse, 'caveats'>) =>
  caveats.filter((caveat) => !/^The (newest|final) blocks/.test(caveat))

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

  test('behavior: a rebase is distinguished from a fee', async () => {
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
      wellKnown: [{ symbol: 'USDC', names: [], address: usdc }],
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

  test('behavior: deposits and withdrawals of wrapped ether count as mints and burns, and say so', async () => {
    const token = await kinds.deploy('WrappedEther')
    await kinds.send('Plain', token, 'init', ['Wrapped Ether', 'WETHER', 18, ONE])
    const [first, second] = (await anvil.rpc('eth_accounts')) as [Address, Address]
    await kinds.send('WrappedEther', token, 'deposit', [], first, 3n * ONE)
    await kinds.send('WrappedEther', token, 'deposit', [], second, 5n * ONE)
    await transfer(token, fresh(1), 2n * ONE)
    await kinds.send('WrappedEther', token, 'withdraw', [4n * ONE], second)
    const pulse = await answers.pulse({ token })
    // One is minted by `init`, with a transfer.
    expect(pulse).toMatchObject({ transfers: 5, volume: { amount: '15' } })
    expect(pulse.mint).toMatchObject({ count: 3, amount: '9' })
    expect(pulse.burn).toMatchObject({ count: 1, amount: '4' })
    expect(pulse.token.warnings).toEqual([])
    expect(caveatsOf(pulse)).toEqual([SUPPLY_CAVEAT])
    const flow = await answers.flow({ token })
    expect(flow.sumToZero).toMatchObject({ ok: true, minted: { amount: '9' }, burnedToZero: { amount: '4' } })
    expect(flow.topAccumulators.map(({ address, net }) => [address, net.amount])).toEqual([
      [getAddress(first), '2'],
      [fresh(1), '2'],
      [getAddress(second), '1'],
    ])
    const whales = await answers.whales({ token })
    expect(whales.rows[0]).toMatchObject({ amount: '5', logIndex: 0, from: { kind: 'mint' } })
    expect(whales.totals).toMatchObject({ mint: { amount: '9' }, burn: { amount: '4' } })
    expect((await answers.momentum({ token })).metrics.mint.current.amount).toBe('9')
  })

  test('behavior: a mint that is logged twice counts once, and staking is no mint', async () => {
    const echoing = await kinds.deploy('EchoingEther')
    await kinds.send('EchoingEther', echoing, 'deposit', [], undefined, 3n * ONE)
    await kinds.send('EchoingEther', echoing, 'withdraw', [ONE])
    const pulse = await answers.pulse({ token: echoing })
    expect(pulse).toMatchObject({ transfers: 2, mint: { count: 1, raw: `${3n * ONE}` }, burn: { count: 1 } })
    expect(caveatsOf(pulse).join()).not.toContain('Deposits')
    const staked = await deploy('Staked')
    await kinds.send('Staked', staked, 'stake', [7n * ONE])
    await kinds.send('Staked', staked, 'unstake', [6n * ONE])
    expect(await answers.pulse({ token: staked })).toMatchObject({
      transfers: 3,
      mint: { count: 1 },
      burn: { count: 0 },
    })
  })

  test('behavior: a token that emits 60 invented small transfers is caught, and an honest one with 60 is not', async () => {
    for (const kind of ['Inventing', 'Plain'] as const) {
      const token = await deploy(kind)
      for (let i = 0; i < 3; i++) await transfer(token, fresh(500 + i), BigInt(i + 5) * ONE)
      const holders = Array.from({ length: 60 }, (_, i) => fresh(600 + i))
      if (kind === 'Inventing') await kinds.send(kind, token, 'invent', [holders, 1000n])
      else for (const holder of holders) await transfer(token, holder, 1000n)
      const pulse = await answers.pulse({ token })
      expect(pulse.transfers).toBe(64)
      expect(pulse.token.warnings).toEqual(kind === 'Plain' ? [] : ['balances_do_not_fit_transfers'])
    }
  })

  test('behavior: a ring of three over 20 transactions is no volume without round trips', async () => {
    const token = await deploy('Plain')
    const ring = ((await anvil.rpc('eth_accounts')) as Address[]).slice(1, 4)
    for (const account of ring) await transfer(token, account, ONE)
    for (let i = 0; i < 20; i++)
      await kinds.send('Plain', token, 'transfer', [ring[(i + 1) % 3], ONE], ring[i % 3])
    const { volume, volumeWithoutRoundTrips } = await answers.pulse({ token })
    expect(volume.amount).toBe('1000023')
    // Six rounds of 20 transfers came back.
    expect(volumeWithoutRoundTrips.amount).toBe('1000005')
  })

  test('behavior: a token that logs NFTs as well, but is no ERC-404, is answered by its transfers of ERC-20', async () => {
    const token = await deploy('Hybrid')
    await transfer(token, fresh(1), 3n * ONE)
    await transfer(token, fresh(2), ONE / 2n)
    const pulse = await answers.pulse({ token })
    expect(pulse).toMatchObject({ transfers: 3, token: { warnings: [] } })
    expect(pulse.volume.raw).toBe(`${1_000_000n * ONE + 3n * ONE + ONE / 2n}`)
    await kinds.send('Hybrid', token, 'logNft', [fresh(1), fresh(3)])
    expect((await answers.pulse({ token })).transfers).toBe(3)
  })

  test('behavior: amounts with decimals of 78 and 255 stay within the contract', async () => {
    for (const decimals of [78, 255]) {
      const supply = 2n ** 256n - 1n
      const token = await kinds.deployToken('Plain', { name: 'Deep', symbol: 'DEEP', decimals, supply })
      await transfer(token, fresh(1), 10n ** 77n)
      PulseSchema.parse(await answers.pulse({ token }))
      FlowSchema.parse(await answers.flow({ token }))
      MomentumSchema.parse(await answers.momentum({ token }))
      WhalesSchema.parse(await answers.whales({ token }))
      if (decimals === 78) WhalesSchema.parse(await answers.whales({ token, min: '0.1' }))
      // More than any transfer can have, so that the threshold would have too many digits.
      await expect(answers.whales({ token, min: '1' })).rejects.toMatchObject({ name: 'MoneyError' })
    }
  })

  test('error: refuses a token whose transfers add up to more than 78 digits', async () => {
    const supply = 2n ** 256n - 1n
    const token = await kinds.deployToken('Plain', { name: 'Wide', symbol: 'WIDE', decimals: 0, supply })
    const [me, other] = (await anvil.rpc('eth_accounts')) as [Address, Address]
    for (let i = 0; i < 8; i++)
      await kinds.send('Plain', token, 'transfer', [i % 2 ? me : other, supply], i % 2 ? other : me)
    for (const ask of [answers.pulse, answers.flow, answers.momentum])
      await expect(ask({ token })).rejects.toThrow('add up to more than 78 digits')
  })

  test('error: refuses a token whose transfers do not index their addresses', async () => {
    const token = await deploy('Unindexed')
    await transfer(token, fresh(1), ONE)
    for (const ask of [answers.pulse, answers.whales, answers.flow, answers.momentum])
      await expect(ask({ token })).rejects.toMatchObject({
        name: 'TokenError',
        code: 'not_erc20',
        message: `${getAddress(token)} is not an ERC-20 token in a form that can be read: its Transfer events do not index their addresses`,
      })
  })

  test('error: refuses ERC-404 by its name, in both of its forms and behind a proxy', async () => {
    const proxy = await kinds.deploy('Proxy', [await kinds.deploy('Erc404')])
    await kinds.send('Plain', proxy, 'init', ['Behind', 'BHD', 18, 5n * ONE])
    for (const token of [await deploy('Erc404'), await deploy('FirstErc404'), proxy])
      for (const ask of [answers.pulse, answers.whales, answers.flow, answers.momentum])
        await expect(ask({ token })).rejects.toMatchObject({
          name: 'TokenError',
          code: 'not_erc20',
          message: `${getAddress(token)} is not an ERC-20 token but ERC-404, whose logs mix amounts and NFTs`,
        })
  })

  test('behavior: invented cycles that net to zero in a block are caught, and payments through a router are not', async () => {
    const token = await deploy('Cycling')
    for (let i = 0; i < 3; i++) await transfer(token, fresh(700 + i), BigInt(i + 5) * ONE)
    for (let i = 0; i < 20; i++)
      await kinds.send('Cycling', token, 'route', [fresh(720), fresh(730 + i), ONE])
    expect((await answers.pulse({ token })).token.warnings).toEqual([])
    const other = await deploy('Cycling')
    for (let i = 0; i < 3; i++) await transfer(other, fresh(700 + i), BigInt(i + 5) * ONE)
    for (let i = 0; i < 20; i++)
      await kinds.send('Cycling', other, 'cycle', [[fresh(750 + i), fresh(780), fresh(790)], 40n * ONE])
    expect((await answers.pulse({ token: other })).token.warnings).toEqual(['balances_do_not_fit_transfers'])
  })

  test('behavior: a token that tells no balance of invented recipients is caught', async () => {
    const token = await deploy('Hiding')
    for (let i = 0; i < 3; i++) await transfer(token, fresh(800 + i), BigInt(i + 5) * ONE)
    await kinds.send('Hiding', token, 'invent', [Array.from({ length: 60 }, (_, i) => fresh(820 + i)), 1000n])
    expect((await answers.pulse({ token })).token.warnings).toEqual(['balances_do_not_fit_transfers'])
  })

  test('behavior: mints of the transaction that created the token fit, since it held nothing before', async () => {
    const holders = Array.from({ length: 12 }, (_, i) => fresh(900 + i))
    const token = await kinds.deploy('Airdrop', [holders, 7n * ONE])
    expect(await source.balanceAt({ token, holder: holders[0] ?? '0x', block: 0 })).toBe(0n)
    const [first] = (
      await source.transfers({ token, fromBlock: 0, toBlock: (await source.heads()).latest.number })
    ).columns.block
    expect(await source.balanceAt({ token, holder: holders[0] ?? '0x', block: first ?? 0 })).toBe(7n * ONE)
    expect((await answers.pulse({ token })).token.warnings).toEqual([])
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
