import { HTTPFacilitatorClient } from '@x402/core/server'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { paymentMiddlewareFromHTTPServer, x402HTTPResourceServer, x402ResourceServer } from '@x402/express'
import { bazaarResourceServerExtension, declareDiscoveryExtension } from '@x402/extensions/bazaar'
import express, { type Express } from 'express'
import { paymentMiddleware as paymentMiddlewareV1 } from 'x402-express'
import type { Seller, SellerContext } from './types.ts'

const answer = (context: SellerContext) => ({ title: context.spec.title, answer: 'forty-two' })

function createApp(context: SellerContext): Express {
  const app = express()
  app.disable('x-powered-by')
  const other = context.spec.method === 'GET' ? 'POST' : 'GET'
  // Otherwise the GET route would serve HEAD unpaid.
  app.use((request, response, next) => {
    if (request.method !== 'HEAD' && request.method !== other) return next()
    response.status(405).set('allow', context.spec.method).json({ error: 'method not allowed' })
  })
  return app
}

/** Creates an endpoint behind the stock v2 middleware, `@x402/express`. */
export function createStockV2(context: SellerContext): Seller {
  const { spec } = context
  const facilitator = new HTTPFacilitatorClient({ url: context.facilitatorUrl })
  const server = new x402ResourceServer(facilitator)
    .register('eip155:8453', new ExactEvmScheme())
    .registerExtension(bazaarResourceServerExtension)
  const output = { example: answer(context) }
  const extensions = declareDiscoveryExtension(
    spec.method === 'GET'
      ? { input: { q: 'today' }, inputSchema: { properties: { q: { type: 'string' } } }, output }
      : {
          bodyType: 'json',
          input: { q: 'today' },
          inputSchema: { properties: { q: { type: 'string' } } },
          output,
        },
  )
  const routes = {
    [`${spec.method} ${spec.path}`]: {
      accepts: {
        scheme: 'exact',
        network: 'eip155:8453',
        price: `$${spec.priceUsd}`,
        payTo: context.receiver,
        maxTimeoutSeconds: 60,
      } as const,
      description: spec.title,
      mimeType: 'application/json',
      extensions,
    },
  }
  const app = createApp(context)
  // Wait for the facilitator's list of supported kinds, which the first request would otherwise trigger.
  const httpServer = new x402HTTPResourceServer(server, routes)
  const ready = httpServer.initialize()
  app.use(paymentMiddlewareFromHTTPServer(httpServer, undefined, undefined, false))
  app[spec.method === 'GET' ? 'get' : 'post'](spec.path, (_request, response) => {
    response.json(answer(context))
  })
  return { handle: app, ready }
}

/** Creates an endpoint behind the stock v1 middleware, `x402-express`. */
export function createStockV1(context: SellerContext): Seller {
  const { spec } = context
  const url: `${string}://${string}` = `http://${new URL(context.facilitatorUrl).host}`
  const app = createApp(context)
  app.use(
    paymentMiddlewareV1(
      context.receiver,
      {
        [`${spec.method} ${spec.path}`]: {
          price: `$${spec.priceUsd}`,
          network: 'base',
          config: {
            description: spec.title,
            mimeType: 'application/json',
            inputSchema: { queryParams: { q: 'string' } },
          },
        },
      },
      { url },
    ),
  )
  app.get(spec.path, (_request, response) => {
    response.json(answer(context))
  })
  return { handle: app }
}
