import { readTarget, sendJson } from '../../http.ts'
import { walletAt } from '../../wallets.ts'
import { createPlainToll } from '../plainToll.ts'
import { NETWORKS, usdcTerms } from '../terms.ts'
import type { SellerSpec } from '../types.ts'

const ROTATED_BEFORE_START_MS = 86_400_000

/** Changed its receiver a day before the start, after the old receiver signed an announcement of the new one. */
export const announced: SellerSpec = {
  id: 'announced',
  character: 'announced',
  title: 'Exchange rates',
  category: 'data',
  method: 'GET',
  path: '/rates',
  priceUsd: '0.01',
  receiver: { index: 122, past: 'established' },
  otherReceiver: 153,
  listing: { bazaar: { version: 2, calls: { total: 86, payers: 19, lastDaysAgo: 0 } } },
  expected: {
    guard: 'pays',
    why: 'receiver changed yesterday, announced by a signature of the old one',
  },
  create: (context) => {
    const { spec, url, host, receiver: oldPayTo, otherReceiver: newPayTo } = context
    const rotatedAt = context.startedAt - ROTATED_BEFORE_START_MS
    const validFrom = new Date(rotatedAt).toISOString()
    const network = NETWORKS.base.caip2
    const signed = walletAt(spec.receiver.index).signMessage({
      message: [
        'x402 receiver rotation',
        `host: ${host}`,
        `network: ${network}`,
        `old: ${oldPayTo.toLowerCase()}`,
        `new: ${newPayTo.toLowerCase()}`,
        `valid from: ${validFrom}`,
      ].join('\n'),
    })
    let signature = ''
    const receiver = () => (context.clock.now() < rotatedAt ? oldPayTo : newPayTo)
    const toll = createPlainToll(context, { terms: () => usdcTerms(receiver(), spec.priceUsd) })
    return {
      handle: (request, response) => {
        if (readTarget(request).pathname !== '/.well-known/x402') return toll(request, response)
        sendJson(response, 200, { version: 1, resources: [url], network, newPayTo, validFrom, signature })
      },
      ready: signed.then((text) => {
        signature = text
      }),
      receiver,
    }
  },
}
