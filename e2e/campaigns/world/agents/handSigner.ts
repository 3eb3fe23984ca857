import {
  decodeChallenge,
  encodeBase64Json,
  type Offer,
  TRANSFER_WITH_AUTHORIZATION,
  X402_HEADERS,
} from '@touchstone402/shared'
import type { SignedTransfer } from '@touchstone402/shared/market'
import type { Facts } from '../facts.ts'
import { NETWORK, USDC } from '../outside/chain.ts'
import { answerRequest } from '../outside/sellers.ts'
import { PAYER } from '../outside/signer.ts'
import type { TokenSetUp } from '../setUp.ts'
import { type Agents, type AskedCall, urlOf } from './agents.ts'
import { readJson } from './outcomes.ts'

/** Terms that an agent was shown for one of its calls. */
type Shown = { readonly token: TokenSetUp; readonly asked: AskedCall; readonly offer: Offer }
/** A signature that an agent holds. */
type Held = Shown & { readonly transfer: SignedTransfer }

/** How an agent changes what it asks a signature for. */
export const TAMPERS = ['none', 'none', 'none', 'value', 'receiver', 'lifetime'] as const

/** Ways in which an agent uses a signature that it holds. */
export const USES = [
  'pays',
  'pays',
  'otherBody',
  'otherBody',
  'otherPath',
  'otherToken',
  'directly',
  'toThief',
] as const

const LIFETIME_SECONDS = 60

/**
 * Creates the agents behind a proxy with `--sign`: they sign by `POST /sign`, and may keep, swap and replay what they get.
 */
export function createHandSigner(facts: Facts, agents: Agents) {
  const shown: Shown[] = []
  const held: Held[] = []
  const { books, time, order, trace } = facts
  const last = <T>(list: readonly T[], back: number): T | undefined => list[list.length - 1 - back]

  return {
    /** Asks for the terms of a call. */
    show(token: TokenSetUp, asked: AskedCall): void {
      agents.token(token, asked, {}, ({ status, headers, text }, { identity }) => {
        if (status !== 402 || headers.get('touchstone-code') !== null) return
        const [offer] = decodeChallenge({ header: headers.get(X402_HEADERS.required), body: text }).offers
        if (offer === undefined) return
        books.shown.add(identity)
        shown.push({ token, asked, offer })
      })
    },
    /** Asks for a signature for terms that were shown. */
    async sign(back: number, tamper: (typeof TAMPERS)[number]): Promise<void> {
      const one = last(shown, back)
      if (one === undefined) return
      const seconds = Math.floor(time.now() / 1000)
      const lifetime = tamper === 'lifetime' ? 100 * LIFETIME_SECONDS : LIFETIME_SECONDS
      const message = {
        from: PAYER,
        to: tamper === 'receiver' ? `0x${'ee'.repeat(20)}` : one.offer.payTo,
        value: tamper === 'value' ? `${BigInt(one.offer.amountAtomic) * 10n}` : one.offer.amountAtomic,
        validAfter: '0',
        validBefore: String(seconds + lifetime),
        nonce: `0x${Array.from({ length: 32 }, () =>
          Math.floor(facts.random() * 256)
            .toString(16)
            .padStart(2, '0'),
        ).join('')}`,
      }
      const answer = await agents.ask(one.token, 'POST', '/sign', JSON.stringify({ ...TYPED, message }))
      const signature = answer?.status === 200 ? readJson(answer.text)?.signature : undefined
      if (signature === undefined) return
      books.leave(message.nonce, null, false)
      held.push({ ...one, transfer: { scheme: 'exact', ...message, signature: String(signature) } })
    },
    /** Uses a signature, as it was meant or not. */
    use(back: number, how: (typeof USES)[number], other: TokenSetUp): void {
      const one = last(held, back)
      if (one === undefined) return
      const { transfer, offer, token, asked } = one
      trace.add(`${token.name} uses ${transfer.nonce.slice(0, 10)}: ${how}`)
      if (how === 'toThief') return void facts.held.push(transfer)
      const headers = payBy(offer, transfer)
      const seller = facts.sellers.find(({ host }) => host === asked.host)
      if (how === 'directly') {
        const request = { url: urlOf(asked), headers: new Headers(headers) }
        const agent = { name: token.name, isDead: false }
        if (seller)
          order
            .act(agent, 'pays directly', () => answerRequest(seller, facts.market, request))
            .catch(() => {})
        return
      }
      const sent = {
        ...asked,
        ...(how === 'otherBody' && { body: `${asked.body}, and a yacht` }),
        ...(how === 'otherPath' && { path: `${asked.path}x` }),
      }
      agents.token(how === 'otherToken' ? other : token, sent, headers)
    },
  }
}

const TYPED = {
  domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: USDC },
  primaryType: 'TransferWithAuthorization',
  types: TRANSFER_WITH_AUTHORIZATION,
}

function payBy(
  { x402Version, raw }: Offer,
  { signature, scheme: _, ...authorization }: SignedTransfer,
): Record<string, string> {
  const payload = { signature, authorization }
  if (x402Version === 2)
    return { [X402_HEADERS.signature]: encodeBase64Json({ x402Version, accepted: raw, payload }) }
  const v1 = { x402Version, scheme: 'exact', network: raw.network ?? NETWORK, payload }
  return { [X402_HEADERS.v1Payment]: encodeBase64Json(v1) }
}
