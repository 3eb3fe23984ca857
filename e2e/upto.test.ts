import {
  PERMIT2,
  permit2Abi,
  UPTO_PROXY,
  USDC,
  WALLET_FACTORY,
  walletAbi,
  walletAt,
} from '@touchstone402/economy'
import { createGuard, createMemoryLedger, type SigningAccount } from '@touchstone402/guard'
import { createGuardedFetch } from '@touchstone402/guard/fetch'
import { reconcileLedger } from '@touchstone402/guard/ledger'
import { createUpto } from '@touchstone402/guard/upto'
import { createWalletVerifier } from '@touchstone402/guard/wallets'
import { x402UptoPermit2ProxyABI } from '@x402/evm'
import { createWalletClient, encodeFunctionData, type Hex, http, maxUint256, parseAbi, toHex } from 'viem'
import { base } from 'viem/chains'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { checksNoAnswers } from './contract/checksNoAnswers.ts'
import {
  addressOfWallet,
  createData,
  FACILITATOR,
  PRICE,
  RECEIVER,
  useWalletMarket,
} from './support/walletMarket.ts'

checksNoAnswers('the guard alone, with a service of the test')

const market = useWalletMarket()
// Anvil gives it the ether for its approval of Permit2.
const payer = walletAt(8)
const NETWORK = 'eip155:8453'
const SETTLED = 4000n

const send = async (to: Hex, data: Hex) => {
  const transport = http(market.chain.rpcUrl)
  const hash = await createWalletClient({ account: payer, chain: base, transport }).sendTransaction({
    to,
    data,
  })
  await market.client.waitForTransactionReceipt({ hash })
}

beforeAll(async () => {
  await market.chain.mintUsdc(payer.address, 1_000_000n)
  const abi = parseAbi(['function approve(address spender, uint256 value) returns (bool)'])
  await send(USDC, encodeFunctionData({ abi, functionName: 'approve', args: [PERMIT2, maxUint256] }))
})
beforeEach(() => {
  const extra = { assetTransferMethod: 'permit2', facilitatorAddress: FACILITATOR.address }
  market.offer = { scheme: 'upto', extra: { name: 'USD Coin', version: '2', ...extra } }
  market.collect = (payload) => collect(payload, SETTLED)
})

type Permit = {
  from: Hex
  permitted: { token: Hex; amount: string }
  nonce: string
  deadline: string
  witness: { to: Hex; facilitator: Hex; validAfter: string }
}

/** Collects an amount of a payment as the facilitator does. */
async function collect(payload: Record<string, unknown>, amount: bigint): Promise<Hex> {
  const { from, permitted, nonce, deadline, witness } = payload.permit2Authorization as Permit
  const permit = { permitted: { ...permitted, amount: BigInt(permitted.amount) }, nonce: BigInt(nonce) }
  const args = [
    { ...permit, deadline: BigInt(deadline) },
    amount,
    from,
    { ...witness, validAfter: BigInt(witness.validAfter) },
    payload.signature as Hex,
  ] as const
  return market.send(
    UPTO_PROXY,
    encodeFunctionData({ abi: x402UptoPermit2ProxyABI, functionName: 'settle', args }),
  )
}

function open(account: SigningAccount = payer, policy = {}) {
  const ledger = createMemoryLedger()
  const guard = createGuard({
    ledger,
    service: { url: market.service.url },
    upto: createUpto(),
    policy: { uptoFacilitators: [FACILITATOR.address], ...policy },
    rpcUrls: { [NETWORK]: market.chain.rpcUrl },
    verifySignature: createWalletVerifier({ clients: { [NETWORK]: market.client } }),
  })
  const pay = createGuardedFetch({ account, guard })
  const spent = () => ledger.totals().usdMicros
  const reconcile = async () => {
    // The time of the chain passes faster than that of this machine.
    const { timestamp } = await market.client.getBlock()
    const now = () => Number(timestamp) * 1000
    return reconcileLedger(ledger, { rpcUrls: { [NETWORK]: market.chain.rpcUrl }, now, upto: createUpto() })
  }
  return { guard, pay, spent, reconcile, ledger }
}

const call = async (pay: ReturnType<typeof open>['pay'], query: string) => {
  const response = await pay(`${market.url}?${query}`)
  return [response.status, await response.text()]
}
const DELIVERED = [200, '{"weather":"sunny"}']

test('default: pays the amount that the seller collects, and counts the ceiling until that is final', async () => {
  const { pay, spent, reconcile, ledger } = open()
  const before = await market.balance(RECEIVER)
  expect(await call(pay, 'one')).toEqual(DELIVERED)
  expect((await market.balance(RECEIVER)) - before).toBe(SETTLED)
  expect(spent()).toBe(PRICE)
  expect(await reconcile()).toMatchObject({ settled: 0, unused: 0, open: 1 })
  await market.pass(1)
  expect(await reconcile()).toEqual({ settled: 1, unused: 0, open: 0, kept: [] })
  expect([spent(), ledger.pending()]).toEqual([SETTLED, []])
})

test('behavior: finds the settlement behind a false claim of the seller', async () => {
  const { pay, spent, reconcile } = open()
  let first: Hex = '0x'
  market.collect = async (payload) => {
    first = await collect(payload, 1n)
    return first
  }
  await call(pay, 'small')
  // Names the cheap settlement of the other payment.
  market.collect = async (payload) => {
    await collect(payload, 9000n)
    return first
  }
  await call(pay, 'large')
  await market.pass(1)
  expect(await reconcile()).toMatchObject({ settled: 2 })
  expect(spent()).toBe(9001n)
})

test('behavior: a retry sends the same payment, which is collected once', async () => {
  const { pay, spent } = open()
  const before = await market.balance(payer.address)
  market.collect = async (payload) => {
    await collect(payload, SETTLED)
    throw new Error('The connection is lost after the settlement.')
  }
  await expect(call(pay, 'retry')).rejects.toThrow()
  market.collect = async (payload) => {
    await expect(collect(payload, SETTLED)).rejects.toThrow()
    return ''
  }
  expect(await call(pay, 'retry')).toEqual(DELIVERED)
  expect(new Set(market.payments).size).toBe(1)
  expect([before - (await market.balance(payer.address)), spent()]).toEqual([SETTLED, PRICE])
})

test('behavior: a ceiling uses up the budget until the chain frees the rest', async () => {
  const { pay, reconcile } = open(payer, { maxPerDayUsd: '0.015' })
  await call(pay, 'a')
  await expect(call(pay, 'b')).rejects.toMatchObject({ code: 'OVER_DAY_LIMIT' })
  await market.pass(1)
  await reconcile()
  expect(await call(pay, 'b')).toEqual(DELIVERED)
})

test('behavior: a nonce that the owner has invalidated frees nothing', async () => {
  const { pay, spent, reconcile } = open()
  market.collect = async (payload) => {
    const nonce = BigInt((payload.permit2Authorization as Permit).nonce)
    const args = [nonce >> 8n, 1n << (nonce & 255n)] as const
    await send(
      PERMIT2,
      encodeFunctionData({ abi: permit2Abi, functionName: 'invalidateUnorderedNonces', args }),
    )
    return ''
  }
  await call(pay, 'invalid')
  await market.pass(1)
  const kept = [{ why: expect.stringContaining('no settlement shows what it cost') }]
  expect(await reconcile()).toMatchObject({ settled: 0, open: 1, kept })
  expect(spent()).toBe(PRICE)
})

test('behavior: pays from a contract wallet', async () => {
  const salt = toHex(1n, { size: 32 })
  const wallet = await addressOfWallet(market, payer.address, salt)
  await market.send(WALLET_FACTORY, createData(payer.address, salt))
  await market.chain.mintUsdc(wallet, PRICE)
  const args = [USDC, PERMIT2, PRICE] as const
  await send(wallet, encodeFunctionData({ abi: walletAbi, functionName: 'approve', args }))
  const account: SigningAccount = {
    address: wallet,
    signTypedData: (message) => payer.signTypedData(message as never),
  }
  const { pay } = open(account)
  expect(await call(pay, 'wallet')).toEqual(DELIVERED)
  expect(await market.balance(wallet)).toBe(PRICE - SETTLED)
})

test('error: a facilitator cannot collect more than the ceiling, or for another receiver', async () => {
  const { pay } = open()
  const before = await market.balance(payer.address)
  market.collect = async (payload) => {
    const permit = payload.permit2Authorization as Permit
    const thief = walletAt(151).address
    await expect(collect(payload, PRICE + 1n)).rejects.toThrow()
    const diverted = { ...permit, witness: { ...permit.witness, to: thief } }
    await expect(collect({ ...payload, permit2Authorization: diverted }, 1n)).rejects.toThrow()
    return collect(payload, PRICE)
  }
  expect(await call(pay, 'hostile')).toEqual(DELIVERED)
  expect(before - (await market.balance(payer.address))).toBe(PRICE)
})

test('error: an offer through another facilitator is not signed', async () => {
  const { pay } = open()
  market.offer = { ...market.offer, extra: { facilitatorAddress: walletAt(151).address } }
  await expect(call(pay, 'foreign')).rejects.toMatchObject({ code: 'SCHEME_NOT_ALLOWED' })
  expect(market.payments).toEqual([])
})

// Last, since the chain's time is ahead afterwards.
test('behavior: an uncollected payment is freed after its deadline, even if the seller reports otherwise', async () => {
  const { pay, spent, reconcile } = open()
  market.collect = async () => `0x${'ab'.repeat(32)}`
  await call(pay, 'free')
  await market.pass(1)
  expect(await reconcile()).toMatchObject({ open: 1 })
  await market.pass(120)
  expect(await reconcile()).toMatchObject({ open: 1 })
  await market.pass(600)
  expect(await reconcile()).toMatchObject({ unused: 1 })
  expect(spent()).toBe(0n)
})
