import { VERDICT_LABELS, VERDICTS } from '@touchstone402/shared'

const text = { type: 'string' }
const dollars = (description: string) => ({ type: ['string', 'null'], description })

const TERM = {
  type: 'object',
  description: 'Terms of payment that the service measured.',
  properties: {
    network: text,
    asset: text,
    payTo: text,
    amountAtomicMin: text,
    amountAtomicMax: text,
    minUsd: dollars('Lowest measured price in dollars; null if the policy does not know the asset.'),
    maxUsd: dollars('Highest measured price in dollars; null if the policy does not know the asset.'),
  },
  required: ['network', 'asset', 'payTo', 'amountAtomicMin', 'amountAtomicMax', 'minUsd', 'maxUsd'],
}

/** JSON Schema of the check tool's result. */
export const CHECK_OUTPUT = {
  type: 'object',
  properties: {
    label: { type: 'string', enum: [...Object.values(VERDICT_LABELS), 'Unavailable'] },
    state: { type: 'string', enum: ['signed', 'unavailable'] },
    verdict: {
      type: 'object',
      description: 'The signed verdict; missing if unavailable.',
      properties: {
        endpoint: text,
        verdict: { type: 'string', enum: [...VERDICTS] },
        score: { type: 'number' },
        riskLevel: text,
        flags: { type: 'array', items: text },
        terms: { type: 'array', items: TERM },
        checkedAt: { type: ['string', 'null'] },
        expiresAt: text,
      },
      required: ['endpoint', 'verdict', 'riskLevel', 'flags', 'terms', 'checkedAt', 'expiresAt'],
    },
    detail: { type: 'string', description: 'Why there is no verdict.' },
    lastSeen: { type: ['string', 'null'], description: 'The last signed verdict, expired or not.' },
  },
  required: ['label', 'state'],
} as const
