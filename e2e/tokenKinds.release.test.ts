import { USDC, WALLET_INDEX, walletAt } from '@touchstone402/economy'
import {
  FlowSchema,
  MomentumSchema,
  OPERATIONS,
  type Problem,
  PulseSchema,
  usdToAtomic,
  WhalesSchema,
} from '@touchstone402/shared'
import { openTokenKinds, type TokenKind, type TokenKinds } from '@touchstone402/transfers/testing'
import { type Address, formatUnits, getAddress, parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import { useOwnTokenMarket } from './support/ownTokenMarket.ts'
import { payer, placeCode } from './support/tokenLife.ts'
import { sumOf } from './support/tokenLogs.ts'

const PATHS = ['/pulse', '/whales', '/flow', '/momentum'] as const
const ONE = 10n ** 18n
const of = (token: Address, rest = '') => `?token=${token}${rest}`

let kinds: TokenKinds
const market = useOwnTokenMarket(async ({ economy }) => {
  kinds = await openTokenKinds(economy.chain.rpcUrl)
})
const { buy, buyAnswer, charged, expectWindow, logsOf } = market

/** Deploys a token of 18 decimals. */
const deploy = (kind: TokenKind, symbol: string, name = `Token ${symbol}`) =>
  kinds.deployToken(kind, { name, symbol, decimals: 18, supply: 1_000_000n * ONE })
/** An address that holds nothing. */
const someone = (n: number): Address => `0x${(n + 16).toString(16).padStart(40, '5')}`
/** Sends one transfer to each of the first payers. */
const spread = async (token: Address, values: readonly bigint[]) => {
  for (const [i, value] of values.entries()) await kinds.send('Plain', token, 'transfer', [payer(i), value])
}
const VALUES = [5n * ONE, 7n * ONE + 1n, 11n * ONE, 1n]

describe('kinds of tokens', () => {
  it('default: a token of 18 decimals is exact to the last digit, and its tiny amounts are not zero', async () => {
    const token = await deploy('Plain', 'WIDE')
    await spread(token, VALUES)
    const pulse = await buyAnswer(PulseSchema, `/pulse${of(token)}`)
    const volume = sumOf(await logsOf(await expectWindow(pulse.window), token))
    const amount = (raw: bigint) => ({ raw: String(raw), amount: formatUnits(raw, 18) })
    // The middle one of these and of the supply.
    const median = VALUES[1] ?? 0n
    expect([pulse.volume, pulse.median]).toEqual([amount(volume), amount(median)])
    expect(pulse.token).toMatchObject({ decimals: 18, implementation: null, warnings: [] })
    expect(pulse.caveats).toHaveLength(1)
    const least = '0.000000000000000001'
    const whales = await buyAnswer(WhalesSchema, `/whales${of(token, `&min=${least}`)}`)
    expect(whales.rows.at(-1)).toMatchObject({ raw: '1', amount: least })
    expect(whales.summary).toContain(`5 transfers of ${least} “WIDE” or more`)
    expect(BigInt(whales.threshold.raw)).toBe(parseUnits(least, 18))
    const flow = await buyAnswer(FlowSchema, `/flow${of(token)}`)
    expect(flow.topAccumulators.map(({ address, net }) => [address, net.raw])).toEqual([
      [walletAt(WALLET_INDEX.minter).address, String(1_000_000n * ONE - VALUES.reduce((a, b) => a + b))],
      [payer(2), String(VALUES[2])],
      [payer(1), String(VALUES[1])],
      [payer(0), String(VALUES[0])],
      [payer(3), '1'],
    ])
    const momentum = await buyAnswer(MomentumSchema, `/momentum${of(token)}`)
    for (const metric of Object.values(momentum.metrics))
      expect(metric).toMatchObject({ pct: null, noPrior: true })
    expect(momentum.summary).toContain('(no prior volume)')
  })

  it('behavior: a transfer fee is named by all four operations', async () => {
    const token = await deploy('SilentFee', 'FEE')
    await spread(token, VALUES)
    const answers = [
      await buyAnswer(PulseSchema, `/pulse${of(token)}`),
      await buyAnswer(WhalesSchema, `/whales${of(token)}`),
      await buyAnswer(FlowSchema, `/flow${of(token)}`),
      await buyAnswer(MomentumSchema, `/momentum${of(token)}`),
    ]
    for (const { token: about, caveats } of answers) {
      expect(about.warnings).toEqual(['takes_transfer_fee'])
      expect(caveats.join(' ')).toContain('takes a transfer fee: recipients got 2 % less')
    }
    const flow = await buyAnswer(FlowSchema, `/flow${of(token)}`)
    // As the logs state it: the caveat mentions that balances differ.
    expect(flow.topAccumulators.find(({ address }) => address === payer(2))?.net.raw).toBe(String(VALUES[2]))
    expect(flow.sumToZero.ok).toBe(true)
  })

  it('behavior: a rebase is named, and net flows stay those of the transfers', async () => {
    const token = await deploy('Rebasing', 'REB')
    await spread(token, VALUES)
    await kinds.send('Rebasing', token, 'setTenths', [12n])
    const flow = await buyAnswer(FlowSchema, `/flow${of(token)}`)
    expect(flow.token.warnings).toEqual(['rebases'])
    expect(flow.caveats.join(' ')).toContain('The token rebases')
    expect(flow.topAccumulators.find(({ address }) => address === payer(2))?.net.raw).toBe(String(VALUES[2]))
    expect(flow.sumToZero.ok).toBe(true)
  })

  it('behavior: a proxy is answered as its token, with a caveat', async () => {
    const implementation = await kinds.deploy('Plain')
    const token = await kinds.deploy('Proxy', [implementation])
    await kinds.send('Plain', token, 'init', ['Behind a proxy', 'PRX', 6, 5_000_000n])
    await spread(token, [1_250_000n])
    const whales = await buyAnswer(WhalesSchema, `/whales${of(token, '&min=1.25')}`)
    expect(whales.token).toMatchObject({
      name: 'Behind a proxy',
      symbol: 'PRX',
      implementation: getAddress(implementation),
    })
    expect(whales.rows.map(({ amount }) => amount)).toEqual(['5', '1.25'])
    expect(whales.caveats.join(' ')).toContain(`a proxy for the code at ${getAddress(implementation)}`)
  })

  it('behavior: a symbol that looks like USDC is warned of, and USDC is not', async () => {
    // Cyrillic С instead of C.
    const copy = await deploy('Plain', 'USD\u0421')
    const pulse = await buyAnswer(PulseSchema, `/pulse${of(copy)}`)
    expect(pulse.token.warnings).toEqual(['symbol_looks_like_another_token'])
    expect(pulse.caveats.join(' ')).toContain('looks like that of a well-known token')
    expect((await buyAnswer(PulseSchema, `/pulse${of(USDC)}`)).token.warnings).toEqual([])
    expect(await charged()).toBe(2n * usdToAtomic(OPERATIONS.pulse.priceUsd))
  })

  it('behavior: look-alikes of cbBTC, AERO and USDC.e are caught by symbol and by name', async () => {
    for (const [symbol, name, warning] of [
      ['cbBTC', 'My Coin', 'symbol_of_another_token'],
      ['AER0', 'My Coin', 'symbol_looks_like_another_token'],
      ['USDC.e', 'My Coin', 'symbol_looks_like_another_token'],
      ['MINE', 'Coinbase Wrapped BTC', 'name_looks_like_another_token'],
      ['MINE', 'Aerodrome Finance', 'name_looks_like_another_token'],
      ['MINE', 'Bridged USDC (Stargate)', 'name_looks_like_another_token'],
    ] as const) {
      const pulse = await buyAnswer(PulseSchema, `/pulse${of(await deploy('Plain', symbol, name))}`)
      expect([symbol, name, ...pulse.token.warnings]).toEqual([symbol, name, warning])
      expect(pulse.caveats.join(' ')).toContain('well-known token')
    }
    const honest = await buyAnswer(PulseSchema, `/pulse${of(await deploy('Plain', 'MINE', 'My Coin'))}`)
    expect(honest.token.warnings).toEqual([])
    // Genuine ones keep their name, wherever their code comes from.
    const code = await market.economy.chain.publicClient.getCode({ address: await kinds.deploy('Plain') })
    for (const [token, symbol, name] of [
      ['0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf', 'cbBTC', 'Coinbase Wrapped BTC'],
      ['0x940181a94A35A4569E4529A3CDfB74e38FD98631', 'AERO', 'Aerodrome Finance'],
    ] as const) {
      await placeCode(market.economy, token, code)
      await kinds.send('Plain', token, 'init', [name, symbol, 18, ONE])
      expect((await buyAnswer(PulseSchema, `/pulse${of(token)}`)).token).toMatchObject({
        symbol,
        warnings: [],
      })
    }
  })

  it('behavior: deposits and withdrawals of wrapped ether are mints and burns in all four operations', async () => {
    const token = await kinds.deploy('WrappedEther')
    await kinds.send('Plain', token, 'init', ['Wrapped', 'WRAP', 18, ONE])
    await kinds.send('WrappedEther', token, 'deposit', [], undefined, 3n * ONE)
    await kinds.send('WrappedEther', token, 'withdraw', [2n * ONE])
    const answers = {
      pulse: await buyAnswer(PulseSchema, `/pulse${of(token)}`),
      whales: await buyAnswer(WhalesSchema, `/whales${of(token)}`),
      flow: await buyAnswer(FlowSchema, `/flow${of(token)}`),
      momentum: await buyAnswer(MomentumSchema, `/momentum${of(token)}`),
    }
    const { pulse, whales, flow, momentum } = answers
    for (const { caveats } of Object.values(answers))
      expect(caveats.join(' ')).toContain('Deposits and withdrawals')
    for (const { mint, burn } of [pulse, whales.totals, flow.totals])
      expect([mint.amount, burn.amount]).toEqual(['4', '2'])
    expect([momentum.metrics.mint.current.amount, momentum.metrics.burn.current.amount]).toEqual(['4', '2'])
    expect(flow.sumToZero.ok).toBe(true)
  })

  it('behavior: 60 invented small transfers, and a ring of three over 20 transactions, are reported', async () => {
    const invented = await deploy('Inventing', 'INV')
    await spread(invented, VALUES)
    const holders = Array.from({ length: 60 }, (_, i) => getAddress(`0x${String(i + 1).padStart(40, '5')}`))
    await kinds.send('Inventing', invented, 'invent', [holders, 1000n])
    const { token, caveats } = await buyAnswer(PulseSchema, `/pulse${of(invented)}`)
    expect(token.warnings).toEqual(['balances_do_not_fit_transfers'])
    expect(caveats.join(' ')).toContain('Balances change by other amounts')

    const washed = await deploy('Plain', 'WASH')
    const ring = WALLET_INDEX.bots.slice(3).map((index) => walletAt(index).address)
    for (const account of ring) await kinds.send('Plain', washed, 'transfer', [account, ONE])
    for (let i = 0; i < 20; i++)
      await kinds.send('Plain', washed, 'transfer', [ring[(i + 1) % 3], ONE], ring[i % 3])
    const { volume, volumeWithoutRoundTrips } = await buyAnswer(PulseSchema, `/pulse${of(washed)}`)
    // Six rounds of the 20 transfers came back.
    expect([volume.amount, volumeWithoutRoundTrips.amount]).toEqual(['1000023', '1000005'])
  })

  it.each(['Erc404', 'FirstErc404'] as const)(
    'error: %s is refused as ERC-404, and not charged',
    async (kind) => {
      const token = await deploy(kind, 'FOUR')
      await spread(token, VALUES)
      const before = await charged()
      for (const path of PATHS) {
        const response = await buy(path + of(token), 3)
        expect(response.status).toBe(404)
        expect(((await response.json()) as Problem).detail).toBe(
          `${getAddress(token)} is not an ERC-20 token but ERC-404, whose logs mix amounts and NFTs.`,
        )
      }
      expect(await charged()).toBe(before)
    },
  )

  it('behavior: a token that invents cycles, or hides balances of invented recipients, is warned of', async () => {
    const cycling = await deploy('Cycling', 'CYC')
    const hiding = await deploy('Hiding', 'HID')
    for (const token of [cycling, hiding]) await spread(token, VALUES)
    for (let i = 0; i < 20; i++)
      await kinds.send('Cycling', cycling, 'cycle', [[someone(i), someone(90), someone(91)], ONE])
    const named = Array.from({ length: 40 }, (_, i) => someone(100 + i))
    await kinds.send('Hiding', hiding, 'invent', [named, 1000n])
    for (const token of [cycling, hiding]) {
      const pulse = await buyAnswer(PulseSchema, `/pulse${of(token)}`)
      expect(pulse.token.warnings).toEqual(['balances_do_not_fit_transfers'])
    }
  })

  it('behavior: decimals of 78 and 255 stay within the contract, and a sentence stays short', async () => {
    for (const decimals of [78, 255]) {
      const supply = 2n ** 256n - 1n
      const token = await kinds.deployToken('Plain', {
        name: 'Deep',
        symbol: 'D'.repeat(40),
        decimals,
        supply,
      })
      await spread(token, [10n ** 77n, 1n])
      const pulse = await buyAnswer(PulseSchema, `/pulse${of(token)}`)
      expect(pulse.token.decimals).toBe(decimals)
      expect(pulse.summary).toContain(`“${'D'.repeat(16)}…”`)
      await buyAnswer(WhalesSchema, `/whales${of(token)}`)
      await buyAnswer(FlowSchema, `/flow${of(token)}`)
      await buyAnswer(MomentumSchema, `/momentum${of(token)}`)
      // One whole token is more than any transfer can have.
      const before = await charged()
      expect((await buy(`/whales${of(token, '&min=1')}`)).status).toBe(400)
      expect(await charged()).toBe(before)
    }
  })

  it('error: a token that does not index its events is refused, and not charged', async () => {
    const token = await deploy('Unindexed', 'UNX')
    await spread(token, VALUES)
    for (const path of PATHS) {
      const response = await buy(path + of(token), 1)
      expect(response.status).toBe(404)
      expect((await response.json()) as Problem).toMatchObject({
        code: 'not_erc20',
        detail: `${getAddress(token)} is not an ERC-20 token in a form that can be read: its Transfer events do not index their addresses.`,
      })
    }
    expect(await charged()).toBe(0n)
  })

  it.each(['Nft', 'MaskedNft'] as const)(
    'error: %s is not an ERC-20 token, and not charged',
    async (kind) => {
      const token = await kinds.deploy(kind)
      await kinds.send(kind, token, 'mint', [payer(0)])
      for (const path of PATHS) {
        const response = await buy(path + of(token), kind === 'Nft' ? 1 : 2)
        expect(response.status).toBe(404)
        const problem = (await response.json()) as Problem
        expect(problem.code).toBe('not_erc20')
        expect(problem.detail).toBe(`${getAddress(token)} is not an ERC-20 token but NFTs (ERC-721).`)
      }
      expect(await charged()).toBe(0n)
    },
  )
})
