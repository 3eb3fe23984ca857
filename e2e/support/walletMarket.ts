import {
  type Economy,
  placeContracts,
  usdcAbi,
  WALLET_FACTORY,
  walletAbi,
  walletAt,
} from '@touchstone402/economy'
import { BASE, encodeBase64Json } from '@touchstone402/shared'
import {
  type Address,
  createTestClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  type PublicClient,
} from 'viem'
import { base } from 'viem/chains'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { useChain } from './chain.ts'
import { offerOf, RECEIVER, sendChallenge } from './seller.ts'
import { type LocalServer, serve } from './serve.ts'
import { type SigningService, startSigningService, termOf } from './signingService.ts'

export { RECEIVER } from './seller.ts'
/** Price of the seller in atomic USDC; the ceiling for `upto`. */
export const PRICE = 10_000n
/** Pays the gas; the facilitator that `upto` offers name. */
export const FACILITATOR = walletAt(9)

/** Changes of the seller's offer. */
export type OfferChange = { scheme?: string; amount?: string; extra?: Record<string, unknown> }

/** A chain with contract wallets and Permit2, a service that vouches for one seller, and this seller. */
export type WalletMarket = {
  readonly chain: Economy['chain']
  readonly client: PublicClient
  readonly service: SigningService
  /** URL of the seller's endpoint. */
  readonly url: string
  /** Received payment headers. */
  readonly payments: string[]
  /** Changes the offer until the test ends. */
  offer: OfferChange
  /** Collects a payment and returns the transaction; by default nothing is collected. */
  collect: (payload: Record<string, unknown>) => Promise<Hex | ''>
  balance(address: Address): Promise<bigint>
  /** Sends a transaction of the facilitator and waits for it. */
  send(to: Address, data: Hex): Promise<Hex>
  /** Moves the chain's time forward, and finalizes all before. */
  pass(seconds: number): Promise<void>
}

/** Starts a market before the tests of a file and stops it afterwards. */
export function useWalletMarket(): WalletMarket {
  const chain = useChain()
  let service: SigningService
  let seller: LocalServer
  const payments: string[] = []
  beforeAll(async () => {
    await placeContracts(chain().rpcUrl)
    service = await startSigningService()
    seller = await serve(async (request, response) => {
      const payment = request.headers['payment-signature']
      if (typeof payment === 'string') {
        payments.push(payment)
        const { payload } = JSON.parse(Buffer.from(payment, 'base64').toString('utf8'))
        const transaction = await market.collect(payload)
        const receipt = { success: true, transaction, network: BASE }
        response.setHeader('PAYMENT-RESPONSE', encodeBase64Json(receipt))
        return void response.end('{"weather":"sunny"}')
      }
      const { scheme = 'exact', amount = `${PRICE}`, extra } = market.offer
      sendChallenge(request, response, { ...offerOf(RECEIVER, amount), scheme, ...(extra && { extra }) })
    })
  })
  afterAll(async () => {
    await seller.stop()
    await service.stop()
  })
  beforeEach(() => {
    payments.length = 0
    market.offer = {}
    market.collect = async () => ''
    const term = termOf(RECEIVER, `${PRICE}`)
    service.vouch(market.url, term, { ...term, scheme: 'upto' })
  })
  const wallet = () =>
    createWalletClient({ account: FACILITATOR, chain: base, transport: http(chain().rpcUrl) })
  const market: WalletMarket = {
    get chain() {
      return chain()
    },
    get client() {
      return chain().publicClient
    },
    get service() {
      return service
    },
    get url() {
      return `${seller.url}/weather`
    },
    payments,
    offer: {},
    collect: async () => '',
    balance: (address) => chain().usdcBalanceOf(address),
    async send(to, data) {
      const hash = await wallet().sendTransaction({ to, data, gas: 1_000_000n })
      const { status } = await chain().publicClient.waitForTransactionReceipt({ hash })
      if (status !== 'success') throw new Error('the transaction failed')
      return hash
    },
    async pass(seconds) {
      const test = createTestClient({ mode: 'anvil', transport: http(chain().rpcUrl) })
      await test.increaseTime({ seconds })
      await test.mine({ blocks: 70 })
    },
  }
  return market
}

/** Deploys a contract wallet of an owner. */
export const createData = (owner: Address, salt: Hex) =>
  encodeFunctionData({ abi: walletAbi, functionName: 'create', args: [owner, salt] })

/** Returns the address that a contract wallet has, deployed or not. */
export const addressOfWallet = (market: WalletMarket, owner: Address, salt: Hex): Promise<Address> =>
  market.client.readContract({
    address: WALLET_FACTORY,
    abi: walletAbi,
    functionName: 'addressOf',
    args: [owner, salt],
  })

type Authorization = Record<'from' | 'to' | 'nonce', Hex> &
  Record<'value' | 'validAfter' | 'validBefore', string>

/** Collects an authorization of the exact scheme. */
export function transferData(payload: Record<string, unknown>, signature: Hex): Hex {
  const { from, to, value, validAfter, validBefore, nonce } = payload.authorization as Authorization
  return encodeFunctionData({
    abi: usdcAbi,
    functionName: 'transferWithAuthorization',
    args: [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, signature],
  })
}
