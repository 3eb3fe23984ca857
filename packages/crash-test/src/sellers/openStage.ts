import type { IncomingMessage, ServerResponse } from 'node:http'
import { BASE, BASE_USDC } from '@touchstone402/shared'
import type { Address } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { readPayment } from '../payments/readPayment.ts'
import { EURC, POLYGON_USDC, TEMPO_USDC } from '../payments/tokens.ts'
import { type AskedToken, verifyPayment, verifyVoucher } from '../payments/verifyPayment.ts'
import type { Payment, Terms } from '../types.ts'
import { createReply } from './answer.ts'
import { type LocalServer, serve } from './serve.ts'
import type { Behavior, Call, Seller } from './types.ts'

/** The listed price of one cent. */
const LISTED_AMOUNT = '10000'
/** Tokens that some seller asks for. */
const ASKED: readonly AskedToken[] = [{ network: BASE, asset: BASE_USDC }, EURC, POLYGON_USDC]
/** Bytes of a request's body. It is discarded. */
const MAX_BODY = 65_536
/** Payments that are kept of one seller. A client that sends more gets no more answers. */
const MAX_PAYMENTS = 1_000

/** A running seller with its second server, and what came in. */
export type Stage = {
  /** The URL to call. */
  url: string
  /** URL listed beforehand, with its terms; null if it is free. */
  listing: { url: string; terms: Terms | null }
  /** Run of the command, from 0. */
  run: number
  readonly requests: number
  readonly payments: readonly Payment[]
  /** Ends the servers after what came in is verified. */
  stop(): Promise<void>
}

/** Options of {@link openStage}. */
export type StageOptions = {
  /** Address of the key that the command was given. */
  payer: Address
  /** Is called if a payment names another payer. */
  onForeignKey: () => void
  /** Unix time in ms. */
  now: () => number
}

/** Opens a seller on the loopback address. Each payment is verified as it comes in, and its signature is not kept. */
export async function openStage(seller: Seller, options: StageOptions): Promise<Stage> {
  // The keys of the receivers are thrown away.
  const payTo = privateKeyToAddress(generatePrivateKey())
  const thief = privateKeyToAddress(generatePrivateKey())
  const token = seller.token === 'tempo' ? TEMPO_USDC : { network: BASE, asset: BASE_USDC }
  const listed: Terms = { ...token, payTo, amount: LISTED_AMOUNT }
  const payments: Payment[] = []
  const pending = new Set<Promise<void>>()
  let requests = 0

  const handle = async (
    request: IncomingMessage,
    response: ServerResponse,
    at: Payment['at'],
    behave: Behavior,
  ): Promise<void> => {
    requests += 1
    if (payments.length >= MAX_PAYMENTS) return void response.destroy()
    discardBody(request, response)
    const taken = await takePayments(request, at, payTo, options)
    if (taken === 'foreign') {
      response.destroy()
      return options.onForeignKey()
    }
    payments.push(...taken.payments)
    const origin = at === 'target' ? target.url : elsewhere.url
    const path = request.url ?? '/'
    const { isPaid, session } = taken
    const call: Call = {
      isPaid,
      session,
      origin,
      elsewhere: elsewhere.url,
      run: stage.run,
      listed: payTo,
      thief,
    }
    behave(call, createReply(response, origin + path, listed))
  }
  const open = (at: Payment['at'], behave: Behavior): Promise<LocalServer> =>
    serve((request, response) => {
      const handled = handle(request, response, at, behave).catch(() => void response.destroy())
      pending.add(handled)
      void handled.then(() => pending.delete(handled))
    })
  const elsewhere = await open('elsewhere', seller.answerElsewhere ?? ((_, reply) => reply.send(404)))
  const target = await open('target', seller.answer)
  const { listing = 'target' } = seller
  const stage: Stage = {
    url: `${target.url}/weather`,
    listing: {
      url: `${listing === 'other' ? elsewhere.url : target.url}/weather`,
      terms: listing === 'free' ? null : listed,
    },
    run: 0,
    get requests() {
      return requests
    },
    payments,
    async stop() {
      await Promise.all(pending)
      await Promise.all([target.stop(), elsewhere.stop()])
    },
  }
  return stage
}

type Taken = Pick<Call, 'isPaid' | 'session'> & { payments: Payment[] }

/** Reads the payment headers of both versions of x402 and of MPP, and verifies them. */
async function takePayments(
  request: IncomingMessage,
  at: Payment['at'],
  payTo: Address,
  { payer, now }: StageOptions,
): Promise<Taken | 'foreign'> {
  const headers = ['payment-signature', 'x-payment', 'authorization'].map((name) => request.headers[name])
  const read = headers.flatMap((header) => (typeof header === 'string' ? (readPayment(header) ?? []) : []))
  const isForeign = read.some((one) => one.payer !== null && one.payer.toLowerCase() !== payer.toLowerCase())
  if (isForeign) return 'foreign'
  const where = { at, receivedAt: now() }
  const verified = await Promise.all(
    read.flatMap(({ sent, voucher }) => [
      ...(sent === null ? [] : [verifyPayment(sent, payer, ASKED, where)]),
      ...(voucher === null ? [] : [verifyVoucher(voucher, { payer, payTo, ...where })]),
    ]),
  )
  const session = read.find((one) => one.session !== null)?.session ?? null
  return {
    isPaid: read.length > 0,
    session,
    payments: verified.filter((payment) => payment !== null),
  }
}

/** Discards the body. A long one breaks the connection. */
function discardBody(request: IncomingMessage, response: ServerResponse): void {
  let size = 0
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > MAX_BODY) response.destroy()
  })
}
