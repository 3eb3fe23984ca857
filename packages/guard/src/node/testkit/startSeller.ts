import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { BASE, findNetwork, formatUsdc, sameAddress, usdToAtomic } from '@touchstone402/shared'
import { findAllowedAsset } from '../../decide/assets.ts'
import { parsePolicy } from '../../decide/policySchema.ts'
import { EXACT, hashAuthorization } from '../../paying/exactScheme.ts'
import { carriesPayment, decodePayment } from '../../paying/payment.ts'
import { type Authorization, recoverSigner } from '../../paying/signatures/authorization.ts'
import { listen } from '../../testing/listen.ts'
import { challenge, deliver } from '../../testing/seller.ts'
import { termOf } from '../../testing/service.ts'
import type { CheckedVerdict } from '../../types.ts'

/**
 * Behavior of a seller:
 * - `delivers`: answers a paid call with 200, a receipt and the body.
 * - `swaps_receiver`: asks for payment to a thief, and delivers.
 * - `raises_price`: asks for 100 times the price, and delivers.
 * - `asks_again`: answers a paid call with another 402, for 100 times the price.
 * - `fails`: answers a paid call with 503.
 * - `delivers_nothing`: answers a paid call with 200, a receipt and an empty body.
 * - `redirects`: sends a paid call to another origin, `localhost` instead of `127.0.0.1`, and delivers there.
 * - `hangs`: never answers a paid call.
 * @example
 * const behavior: SellerBehavior = 'swaps_receiver'
 */
export type SellerBehavior =
  | 'delivers'
  | 'swaps_receiver'
  | 'raises_price'
  | 'asks_again'
  | 'fails'
  | 'delivers_nothing'
  | 'redirects'
  | 'hangs'

/**
 * Options of {@link startSeller}.
 * @example
 * const options: SellerOptions = { priceUsd: '0.05', behavior: 'fails' }
 */
export type SellerOptions = {
  /** Price of a call in dollars. @default '0.01' */
  priceUsd?: string
  /** @default a new address without a known key */
  payTo?: string
  /** CAIP-2 of an EVM network; the price is in its USDC. @default 'eip155:8453' */
  network?: string
  /** @default 'delivers' */
  behavior?: SellerBehavior
  /** Body of a paid answer. @default '{"weather":"sunny"}' */
  body?: string
  /** Unix time in ms, by which payments expire. @default Date.now */
  now?: () => number
}

/**
 * A payment that a seller received and could settle. Holds no signature.
 * @example
 * const describe = ({ amountUsd, payTo }: TestPayment) => `$${amountUsd} to ${payTo}`
 */
export type TestPayment = {
  /** Decimal dollars, such as `0.01`. */
  amountUsd: string
  payTo: string
  /** Address that has signed. */
  from: string
  /** Hexadecimal. A nonce settles once, so equal payments are one. */
  nonce: string
  /** Unix time in seconds. */
  validBefore: number
  /** URL of each request that carried it. */
  urls: string[]
}

/**
 * A seller on a free port of 127.0.0.1, for tests only.
 * @example
 * const paidUsd = (seller: TestSeller) => seller.payments.map(({ amountUsd }) => amountUsd)
 */
export type TestSeller = AsyncDisposable & {
  /** Origin. Every path and method costs the price. */
  readonly url: string
  readonly payTo: string
  /** The honest terms, as a verdict lists them. */
  readonly terms: CheckedVerdict['terms']
  /** May change between calls. */
  behavior: SellerBehavior
  /** Number of requests, paid or not. */
  readonly requests: number
  /** Payments with a valid signature, each once. */
  readonly payments: readonly TestPayment[]
  close(): Promise<void>
}

const RAISE = 100n
const createReceiver = () => `0x${randomBytes(20).toString('hex')}`

/**
 * Starts an x402 seller for tests: header of version 2 and body of version 1. Verifies payments by key recovery as the
 * token would, and settles none; the transaction of its receipts is the nonce.
 * @throws Error if the price or the network is invalid
 * @example
 * const seller = await startSeller({ priceUsd: '0.01' })
 * await pay(`${seller.url}/weather`)
 * console.log(seller.payments)
 * await seller.close()
 */
export async function startSeller(options: SellerOptions = {}): Promise<TestSeller> {
  const { priceUsd = '0.01', payTo = createReceiver(), network = BASE, body, now = Date.now } = options
  const asset = findNetwork(network)?.usdc ?? ''
  const domain = findAllowedAsset(parsePolicy(), network, asset)?.domain
  if (!domain?.chainId) throw new Error(`network: expected an EVM network with USDC, got ${network}`)
  const { name, version } = domain
  const price = usdToAtomic(priceUsd)
  const thief = createReceiver()
  const payments: TestPayment[] = []
  let requests = 0

  const asked = (isPaid: boolean) => {
    const isRaised = seller.behavior === 'raises_price' || (isPaid && seller.behavior === 'asks_again')
    return {
      payTo: seller.behavior === 'swaps_receiver' ? thief : payTo,
      amount: isRaised ? price * RAISE : price,
    }
  }

  const askFor = (request: IncomingMessage, response: ServerResponse, error: string, isPaid = false) => {
    const { payTo, amount } = asked(isPaid)
    const terms = [{ payTo, amount: String(amount), network, asset, extra: { name, version } }]
    // Joined as text: a target that is no URL must not end the tests.
    challenge(server.url, { terms, error, resource: server.url + request.url }, request, response)
  }

  /** Reads the payment of a request. Returns the reason if it could not be settled. */
  const read = (headers: Headers): Authorization | string => {
    const sent = decodePayment(headers, { exact: EXACT })
    if (sent === undefined) return 'Malformed payment'
    const { authorization, signature } = sent
    const { from, to, value, validAfter, validBefore } = authorization
    const signer = recoverSigner(hashAuthorization(domain, authorization), signature)
    if (signer !== from.toLowerCase()) return 'The payer has not signed this payment'
    const seconds = BigInt(Math.floor(now() / 1000))
    if (validAfter > seconds || validBefore <= seconds) return 'Expired, or not valid yet'
    const { payTo: receiver, amount } = asked(false)
    return sameAddress(to, receiver) && value >= amount
      ? authorization
      : 'Another receiver, or less than asked'
  }

  const server = await listen((request, response) => {
    requests += 1
    const headers = new Headers(request.headers as Record<string, string>)
    if (!carriesPayment(headers)) return askFor(request, response, 'Payment required')
    const payment = read(headers)
    if (typeof payment === 'string') return askFor(request, response, payment)
    const { from, value, nonce, validBefore } = payment
    const { payTo } = asked(false)
    const url = `http://${request.headers.host}${request.url}`
    const known = payments.find((one) => one.nonce === nonce && one.from === from)
    if (known === undefined) {
      const amountUsd = formatUsdc(value)
      payments.push({ amountUsd, payTo, from, nonce, validBefore: Number(validBefore), urls: [url] })
    } else known.urls.push(url)
    const { behavior } = seller
    if (behavior === 'hangs') return
    if (behavior === 'asks_again') return askFor(request, response, 'Pay again', true)
    if (behavior === 'fails') return response.writeHead(503).end('Try again.')
    const elsewhere = url.replace('//127.0.0.1:', '//localhost:')
    if (behavior === 'redirects' && elsewhere !== url)
      return response.writeHead(302, { location: elsewhere }).end()
    response.setHeader('content-type', 'application/json')
    deliver(response, behavior === 'delivers_nothing' ? '' : body, nonce)
  })
  const close = () => server.stop()
  const seller: TestSeller = {
    url: server.url,
    payTo,
    behavior: options.behavior ?? 'delivers',
    payments,
    close,
    get requests() {
      return requests
    },
    terms: [termOf(payTo, String(price), { network, asset })],
    [Symbol.asyncDispose]: close,
  }
  return seller
}
