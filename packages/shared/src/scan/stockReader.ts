import { PaymentRequiredV1Schema, PaymentRequiredV2Schema } from '@x402/core/schemas'
import type { Challenge } from '../x402.ts'

// The base64 that the stock reader accepts. Source: @x402/core, `Base64EncodedRegex`.
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/**
 * Returns what another client may stumble on: an encoding that the stock reader refuses, or the first field that the
 * official schema refuses; null if there is none. Names fields and holds no text of the seller.
 * @param header `PAYMENT-REQUIRED` as it was sent
 */
export function findStockFault({ header: v2, body: v1 }: Challenge, header: string | null): string | null {
  if (v2 !== null && header !== null && !BASE64.test(header)) {
    return 'The header is base64url, which the stock reader refuses; it takes base64.'
  }
  for (const document of [v2, v1]) {
    const schema = document?.x402Version === 2 ? PaymentRequiredV2Schema : PaymentRequiredV1Schema
    const [issue] = document === null ? [] : (schema.safeParse(document).error?.issues ?? [])
    if (issue === undefined) continue
    const field = issue.path.map((part) => (KNOWN.test(String(part)) ? part : '…')).join('.')
    const isMissing = issue.code === 'invalid_type' && issue.received === 'undefined'
    return `The official schema refuses \`${field}\`${isMissing ? ', which is missing' : ''}.`
  }
  return null
}

const KNOWN = /^([a-zA-Z]{1,24}|\d{1,3})$/
