import { ExactEvmScheme } from '@x402/evm/exact/server'
import { paymentMiddleware, x402ResourceServer } from '@x402/express'
import express from 'express'
import { listen, type TestServer } from './listen.ts'
import { HONEST } from './seller.ts'

type Facilitator = Exclude<ConstructorParameters<typeof x402ResourceServer>[0], unknown[] | undefined>
type Extension = Parameters<x402ResourceServer['registerExtension']>[0]
type Settlement = Awaited<ReturnType<Facilitator['settle']>>

export const NETWORK = 'eip155:8453'
const TRANSACTION = `0x${'ab'.repeat(32)}`

/** The stock server behind a facilitator that settles in memory. */
export type StockSeller = TestServer & {
  /** `PAYMENT-SIGNATURE` headers received. */
  payments: string[]
  requests: { headers: NodeJS.Dict<string | string[]> }[]
  /** Changes settlements; the stock server asks a second time while one is pending. */
  settle: (settled: Settlement) => Partial<Settlement>
  /** Status of the paid answer. */
  status: number
  /** Headers added to every answer. */
  headers: Record<string, string>
}

/** Starts the stock server of x402 with extensions. @param createExtensions by the origin of the seller */
export async function startStockSeller(
  options: {
    declared?: Record<string, unknown>
    createExtensions?: (origin: string) => Extension[]
    price?: string
    extra?: Record<string, unknown>
    payTo?: string
    /** Sells nothing: the route asks for a sign-in alone. */
    isFree?: boolean
  } = {},
): Promise<StockSeller> {
  const { declared, createExtensions = () => [], price = '$0.01', extra, payTo = HONEST, isFree } = options
  const app = express()
  const server = await listen(app)
  const seller: StockSeller = {
    ...server,
    payments: [],
    requests: [],
    settle: () => ({}),
    headers: {},
    status: 200,
  }
  const facilitator: Facilitator = {
    getSupported: async () => ({
      kinds: [{ x402Version: 2, scheme: 'exact', network: NETWORK }],
      extensions: [],
      signers: {},
    }),
    verify: async (payment) => ({ isValid: true, payer: payerOf(payment) }),
    async settle(payment) {
      const settled = { success: true, transaction: TRANSACTION, network: NETWORK, payer: payerOf(payment) }
      return { ...settled, ...seller.settle(settled as Settlement) } as Settlement
    },
  }
  const resources = new x402ResourceServer(facilitator).register(NETWORK, new ExactEvmScheme())
  for (const extension of createExtensions(server.url)) resources.registerExtension(extension)
  const offer = { scheme: 'exact', network: NETWORK, price, payTo, maxTimeoutSeconds: 60, extra } as const
  app.use((request, response, next) => {
    const payment = request.headers['payment-signature']
    if (typeof payment === 'string') seller.payments.push(payment)
    seller.requests.push({ headers: request.headers })
    response.set(seller.headers)
    next()
  })
  const route = { accepts: isFree ? [] : [offer], description: 'Weather', extensions: declared }
  app.use(paymentMiddleware({ '/weather': route, '/other': route } as never, resources))
  app.use((_, response) => void response.status(seller.status).json({ weather: 'sunny' }))
  return seller
}

const payerOf = ({ payload }: { payload: Record<string, unknown> }) =>
  (payload.authorization as { from: string }).from
