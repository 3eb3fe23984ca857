import { CARELESS_WALLET, keyAt, USDC, WALLET_FACTORY, walletAt } from '@touchstone402/economy'
import { createGuard, isGuardError, type SigningAccount } from '@touchstone402/guard'
import { createGuardedFetch } from '@touchstone402/guard/fetch'
import { createWalletVerifier } from '@touchstone402/guard/wallets'
import { encodeBase64Json } from '@touchstone402/shared'
import {
  type Address,
  createWalletClient,
  type Hex,
  http,
  parseErc6492Signature,
  serializeErc6492Signature,
  toHex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { describe, expect, test } from 'vitest'
import { checksNoAnswers } from './contract/checksNoAnswers.ts'
import {
  addressOfWallet,
  createData,
  FACILITATOR,
  PRICE,
  RECEIVER,
  transferData,
  useWalletMarket,
} from './support/walletMarket.ts'

checksNoAnswers('the guard alone, with a service of the test')

const market = useWalletMarket()
const owner = walletAt(160)
const stranger = walletAt(161)
let salts = 0n

type Wrap = (signature: Hex) => Hex
const plain: Wrap = (signature) => signature
const wrapped =
  (salt: Hex, by = owner.address, factory: Address = WALLET_FACTORY): Wrap =>
  (signature) =>
    serializeErc6492Signature({ address: factory, data: createData(by, salt), signature })

/** Returns an account at an address whose signatures are made by another key. */
const accountAt = (address: Address, key = owner, wrap = plain): SigningAccount => ({
  address,
  signTypedData: async (message) => wrap(await key.signTypedData(message as never)),
})

/** Returns the address of a new contract wallet with USDC; deployed unless `isCounterfactual`. */
async function openWallet(isCounterfactual = false): Promise<{ address: Address; salt: Hex }> {
  salts += 1n
  const salt = toHex(salts, { size: 32 })
  const address = await addressOfWallet(market, owner.address, salt)
  if (!isCounterfactual) await market.send(WALLET_FACTORY, createData(owner.address, salt))
  await market.chain.mintUsdc(address, PRICE)
  return { address, salt }
}

/** Collects as a facilitator does: deploys the wallet if it has to, then executes the authorization. */
async function collect(payload: Record<string, unknown>): Promise<Hex> {
  const parsed = parseErc6492Signature(payload.signature as Hex)
  if (parsed.address) await market.send(parsed.address, parsed.data as Hex)
  return market.send(USDC, transferData(payload, parsed.signature))
}

const options = () => ({ service: { url: market.service.url } })
const verifier = () => createWalletVerifier({ clients: { 'eip155:8453': market.client } })

async function outcome(account: SigningAccount, more = {}): Promise<unknown> {
  const pay = createGuardedFetch({ account, ...options(), verifySignature: verifier(), ...more })
  return pay(market.url).then(
    ({ status }) => status,
    (error) => (isGuardError(error) ? error.code : error),
  )
}

describe('contract wallets', () => {
  test('default: pays from an ERC-1271 wallet', async () => {
    market.collect = collect
    const { address } = await openWallet()
    const before = await market.balance(RECEIVER)
    expect(await outcome(accountAt(address))).toBe(200)
    expect([await market.balance(address), (await market.balance(RECEIVER)) - before]).toEqual([0n, PRICE])
  })

  test('behavior: pays from an ERC-6492 wallet that is not deployed yet', async () => {
    market.collect = collect
    const { address, salt } = await openWallet(true)
    expect(await market.client.getCode({ address })).toBeUndefined()
    expect(await outcome(accountAt(address, owner, wrapped(salt)))).toBe(200)
    expect(await market.balance(address)).toBe(0n)
  })

  test('behavior: pays from an EIP-7702 account that is delegated to a wallet', async () => {
    market.collect = collect
    const { address: wallet } = await openWallet()
    const delegated = privateKeyToAccount(keyAt(170))
    const { rpcUrl } = market.chain
    const relayer = createWalletClient({ account: FACILITATOR, chain: base, transport: http(rpcUrl) })
    const authorization = await delegated.signAuthorization({ address: wallet, chainId: 8453, nonce: 0 })
    const hash = await relayer.sendTransaction({
      to: delegated.address,
      authorizationList: [authorization],
      gas: 200_000n,
    })
    await market.client.waitForTransactionReceipt({ hash })
    await market.chain.mintUsdc(delegated.address, PRICE)
    // Signed by the key of the wallet, which is not that of the account.
    expect(await outcome(accountAt(delegated.address))).toBe(200)
    expect(await market.balance(delegated.address)).toBe(0n)
  })

  test('behavior: a retry sends the same signature of the wallet again', async () => {
    const { address } = await openWallet()
    const account = accountAt(address)
    const pay = createGuardedFetch({ account, ...options(), verifySignature: verifier() })
    market.collect = async (payload) => {
      await collect(payload)
      throw new Error('The connection is lost after the settlement.')
    }
    await expect(pay(market.url)).rejects.toThrow()
    market.collect = async () => `0x${'ab'.repeat(32)}`
    expect((await pay(market.url)).status).toBe(200)
    expect(market.payments).toHaveLength(2)
    expect(new Set(market.payments).size).toBe(1)
  })

  test('error: names the option without which a contract wallet is refused', async () => {
    const { address } = await openWallet()
    const pay = createGuardedFetch({ account: accountAt(address), ...options() })
    await expect(pay(market.url)).rejects.toMatchObject({
      code: 'SIGNATURE_INVALID',
      message: expect.stringContaining('verifySignature'),
      moneyMayHaveLeft: false,
    })
    expect(market.payments).toEqual([])
  })

  test.each<[string, () => Promise<SigningAccount>]>([
    ['a key that does not own the wallet', async () => accountAt((await openWallet()).address, stranger)],
    ['a wallet that does not exist', async () => accountAt((await openWallet(true)).address)],
    ['a key that is not that of a plain account', async () => accountAt(walletAt(171).address)],
    [
      'an ERC-6492 wrapper that deploys the wallet of another owner',
      async () => {
        const { address, salt } = await openWallet(true)
        return accountAt(address, stranger, wrapped(salt, stranger.address))
      },
    ],
    [
      'an ERC-6492 wrapper around a careless wallet',
      async () => {
        const { address, salt } = await openWallet(true)
        return accountAt(address, stranger, wrapped(salt, owner.address, CARELESS_WALLET))
      },
    ],
    [
      'an ERC-6492 wrapper of a stranger around a deployed wallet',
      async () => {
        const { address, salt } = await openWallet()
        return accountAt(address, stranger, wrapped(salt))
      },
    ],
    ['no hexadecimal digits', async () => accountAt((await openWallet()).address, owner, () => 'yes' as Hex)],
  ])('error: refuses a signature by %s', async (_, open) => {
    expect(await outcome(await open())).toBe('SIGNATURE_INVALID')
    expect(market.payments).toEqual([])
  })

  test('error: a contract that accepts every signature does not pay for another payer', async () => {
    const { address } = await openWallet()
    const guard = createGuard({ ...options(), verifySignature: verifier() })
    const fetch = guard.fetch(globalThis.fetch, { payer: address })
    expect((await fetch(market.url)).status).toBe(402)
    const authorization = {
      from: CARELESS_WALLET,
      to: RECEIVER,
      value: `${PRICE}`,
      validAfter: '0',
      validBefore: `${Math.floor(Date.now() / 1000) + 60}`,
      nonce: toHex(1n, { size: 32 }),
    }
    const pay = (from: Address) =>
      fetch(market.url, {
        headers: {
          'PAYMENT-SIGNATURE': encodeBase64Json({
            x402Version: 2,
            accepted: { scheme: 'exact', network: 'eip155:8453', asset: USDC },
            payload: { authorization: { ...authorization, from }, signature: '0xab' },
          }),
        },
      })
    await expect(pay(CARELESS_WALLET)).rejects.toMatchObject({ code: 'OFFER_CHANGED' })
    await expect(pay(address)).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' })
    expect(market.payments).toEqual([])
  })

  test('error: a client of another chain verifies nothing', async () => {
    const { address } = await openWallet()
    const verifySignature = createWalletVerifier({
      clients: { 'eip155:8453': { ...market.client, getChainId: async () => 1 } },
    })
    expect(await outcome(accountAt(address), { verifySignature })).toBe('SIGNATURE_INVALID')
    expect(market.payments).toEqual([])
  })
})
