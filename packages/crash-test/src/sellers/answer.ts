import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { BASE, encodeBase64Json, findNetwork, writeChallenge } from '@touchstone402/shared'
import { TEMPO_ESCROW } from '../payments/verifyPayment.ts'
import type { Terms } from '../types.ts'
import type { ChallengeTexts, Offer, Reply, SessionTerms } from './types.ts'

const EXTRA = { name: 'USD Coin', version: '2' }
const MINUTE = 60

/** Creates the replies to one request. Both versions of x402 are served at once, as the client's is not known. */
export function createReply(response: ServerResponse, url: string, listed: Terms): Reply {
  return {
    challenge(offers, texts = {}) {
      const { write = (json: string) => json } = texts
      response.setHeader('PAYMENT-REQUIRED', encodeText(write(writeV2(offers, texts, url, listed))))
      if (texts.receipt) setReceipt(response, texts.receipt)
      if (texts.byMpp) response.setHeader('WWW-Authenticate', writeMpp({ ...listed, ...texts.byMpp }))
      response.writeHead(402, { 'content-type': 'application/json' })
      response.end(write(writeV1(offers, texts, url, listed)))
    },
    deliver(body = '{"weather":"sunny"}', receipt = {}) {
      const transaction = `0x${randomBytes(32).toString('hex')}`
      setReceipt(response, { success: true, transaction, ...receipt })
      response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    },
    offerSession(terms) {
      response.writeHead(402, { 'WWW-Authenticate': writeSession(listed, terms) }).end()
    },
    send(status, headers = {}, body = '') {
      response.writeHead(status, headers).end(body)
    },
  }
}

function setReceipt(response: ServerResponse, receipt: Record<string, unknown>): void {
  response.setHeader('PAYMENT-RESPONSE', encodeBase64Json({ ...receipt, network: BASE }))
  response.setHeader('X-PAYMENT-RESPONSE', encodeBase64Json({ ...receipt, network: v1Name(BASE) }))
}

/** Writes a charge as the "Payment" authentication scheme does, by its method `evm`. */
function writeMpp({ network, asset, payTo, amount }: Terms): string {
  const chainId = Number(network.slice('eip155:'.length))
  const methodDetails = { chainId, credentialTypes: ['authorization'], decimals: 6 }
  const request = { amount, currency: asset, methodDetails, recipient: payTo }
  return authenticate({ method: 'evm', intent: 'charge' }, request)
}

/** Writes a session by the method `tempo`, whose deposit the escrow holds. */
function writeSession({ network, asset, payTo }: Terms, terms: SessionTerms): string {
  const chainId = Number(network.slice('eip155:'.length))
  const methodDetails = { chainId, sessionProtocol: 'v2', escrowContract: TEMPO_ESCROW }
  const request = { ...terms, unitType: 'call', currency: asset, methodDetails, recipient: payTo }
  return authenticate({ method: 'tempo', intent: 'session' }, request)
}

function authenticate(kind: { method: string; intent: string }, request: object): string {
  return writeChallenge({
    id: randomBytes(16).toString('hex'),
    realm: '127.0.0.1',
    ...kind,
    request: Buffer.from(JSON.stringify(request)).toString('base64url'),
    expires: new Date(Date.now() + 5 * MINUTE * 1000).toISOString(),
  })
}

const encodeText = (json: string): string => Buffer.from(json).toString('base64')
const v1Name = (network: string): string => findNetwork(network)?.v1Name ?? network

function complete(offer: Offer, listed: Terms) {
  return { scheme: 'exact', maxTimeoutSeconds: MINUTE, extra: EXTRA, ...listed, ...offer }
}

const DESCRIPTION = 'The weather of a city'

function writeV2(offers: readonly Offer[], texts: ChallengeTexts, url: string, listed: Terms): string {
  const { description = DESCRIPTION, error = 'Payment required' } = texts
  const resource = { url: texts.resource ?? url, description, mimeType: 'application/json' }
  return JSON.stringify({
    x402Version: 2,
    error,
    resource,
    accepts: offers.map((offer) => complete(offer, listed)),
  })
}

function writeV1(offers: readonly Offer[], texts: ChallengeTexts, url: string, listed: Terms): string {
  const { description = DESCRIPTION, error = 'Payment required', resource = url } = texts
  const accepts = offers.map((offer) => {
    const { amount, network, ...rest } = complete(offer, listed)
    const more = { resource, description, mimeType: 'application/json' }
    return { ...rest, ...more, network: v1Name(network), maxAmountRequired: amount }
  })
  return JSON.stringify({ x402Version: 1, error, accepts })
}
