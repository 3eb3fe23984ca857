import { asObject, encodeBase64Json } from '@touchstone402/shared'
import { draftForms } from './forms/drafts.ts'
import { evmForms } from './forms/evm.ts'
import { foreignForms, issuerForms } from './forms/foreign.ts'
import { harshForms } from './forms/harsh.ts'
import { middlewareForms } from './forms/middlewares.ts'
import { otherForms } from './forms/others.ts'
import { protocolForms } from './forms/protocols.ts'
import type { FormRow, OfficialForm } from './forms/rows.ts'
import { schemeForms } from './forms/schemes.ts'
import { solanaForms } from './forms/solana.ts'
import { spelledForms } from './forms/spellings.ts'

export type { OfficialForm }

/** Path of the resource in every challenge. It is relative, so that it fits any host. */
const RESOURCE = '/paid'
const V1_NAMES: Record<string, string> = {
  'eip155:8453': 'base',
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp': 'solana',
}

/** Every form. */
export const OFFICIAL_FORMS: readonly OfficialForm[] = [
  ...schemeForms,
  ...evmForms,
  ...solanaForms,
  ...otherForms,
  ...foreignForms,
  ...issuerForms,
  ...draftForms,
  ...protocolForms,
  ...middlewareForms,
  ...spelledForms,
  ...harshForms,
].map(toForm)

function toForm({
  name,
  source,
  right = ['safe'],
  accepts,
  shape = 'v2',
  headers = {},
  envelope = {},
  bodyRepeats = false,
  page,
  wellKnown,
  host,
}: FormRow): OfficialForm {
  const document = {
    x402Version: 2,
    error: 'Payment required',
    resource: { url: RESOURCE, description: 'A paid answer', mimeType: 'application/json' },
    accepts,
    ...envelope,
    extensions: {
      bazaar: { info: { input: { type: 'http', method: 'GET' }, output: { type: 'json' } } },
      ...asObject(envelope.extensions),
    },
  }
  const v1 = { x402Version: 1, error: 'Payment required', accepts: accepts.map(toV1), ...envelope }
  const isInHeader = shape === 'v2' || shape === 'both'
  const header = isInHeader ? { 'PAYMENT-REQUIRED': encodeBase64Json(document) } : {}
  const body = bodyRepeats ? document : shape === 'v1' || shape === 'both' ? v1 : {}
  return {
    name,
    source,
    right,
    challenge: page ?? { status: 402, headers: { ...header, ...headers }, body },
    ...(wellKnown !== undefined && { wellKnown }),
    ...(host !== undefined && { host }),
  }
}

function toV1({ amount, network, ...entry }: Record<string, unknown>): Record<string, unknown> {
  return {
    ...entry,
    network: V1_NAMES[String(network)] ?? network,
    maxAmountRequired: amount,
    resource: RESOURCE,
    description: 'A paid answer',
    mimeType: 'application/json',
    outputSchema: { input: { type: 'http', method: 'GET' }, output: { type: 'json' } },
  }
}
