import { encodeBase64Json } from '@touchstone402/shared'
import { TOKEN, type useProxyHarness } from './proxyHarness.ts'
import { HONEST } from './seller.ts'
import { USDC } from './service.ts'

/** An authorization to sign. Source: EIP-3009. */
export type Message = Record<'from' | 'to' | 'value' | 'validAfter' | 'validBefore' | 'nonce', string>

/** An authorization and its signature. */
export type Signed = { message: Message; signature: string }

const FIELDS = [
  'from address',
  'to address',
  'value uint256',
  'validAfter uint256',
  'validBefore uint256',
  'nonce bytes32',
]
const TYPES = FIELDS.map((field) => field.split(' ')).map(([name = '', type = '']) => ({ name, type }))

/** Returns a nonce by its number. */
export const nonceOf = (nth: number): string => `0x${nth.toString(16).padStart(64, '0')}`

/** Returns an authorization of one cent for a minute. */
export function messageOf(from: string, nonce: string, change: Partial<Message> = {}): Message {
  const validBefore = String(Math.floor(Date.now() / 1000) + 60)
  return { from, to: HONEST, value: '10000', validAfter: '0', validBefore, nonce, ...change }
}

/** Returns the typed data of an authorization. */
export const typedDataOf = (message: Message) => ({
  domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: USDC },
  primaryType: 'TransferWithAuthorization',
  types: { TransferWithAuthorization: TYPES },
  message,
})

/** Returns the x402 payment by a signed authorization. */
export function paymentOf({ message, signature }: Signed) {
  const terms = { network: 'eip155:8453', asset: USDC, payTo: HONEST, amount: message.value, scheme: 'exact' }
  const accepted = { ...terms, maxTimeoutSeconds: 60, extra: { name: 'USD Coin', version: '2' } }
  return { x402Version: 2, accepted, payload: { signature, authorization: message } }
}

/** Returns the headers that pay by a signed authorization. */
export const headersOf = (signed: Signed) => ({ 'PAYMENT-SIGNATURE': encodeBase64Json(paymentOf(signed)) })

type Proxy = Awaited<ReturnType<ReturnType<typeof useProxyHarness>['start']>>

/** Signs by `/sign` of a proxy, as the library of an agent with a token does. */
export async function createRemoteSigner({ ask }: Pick<Proxy, 'ask'>) {
  const { address }: { address: string } = JSON.parse((await ask('/account')).text)
  /** What the proxy has signed. */
  const held: Signed[] = []
  return {
    address,
    held,
    /** Asks for a signature. Returns null if it was not given. */
    async sign(message: Message, token = TOKEN): Promise<Signed | null> {
      const body = JSON.stringify(typedDataOf(message))
      const headers = { 'Touchstone-Token': token }
      const { status, text } = await ask('/sign', { method: 'POST', headers, body })
      if (status !== 200) return null
      const signed = { message, signature: JSON.parse(text).signature }
      held.push(signed)
      return signed
    },
  }
}
