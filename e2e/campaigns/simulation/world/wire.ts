import { findNetwork } from '@touchstone402/shared'
import type { Entry, Host, SellerRequest, Written } from './types.ts'

/** The challenge of a 402 response: its `PAYMENT-REQUIRED` header and its body. */
export type ChallengeBytes = { readonly header: string | null; readonly body: string }

/** Contents of a challenge. */
export type Statement = {
  readonly wire: NonNullable<Host['wire']>
  readonly url: string
  readonly method: SellerRequest['method']
  readonly entries: readonly Entry[]
  readonly bodyEntries: readonly Entry[]
  readonly resource: string
  readonly hidesOutput: boolean
  /** Extensions of v2 besides the Bazaar's. */
  readonly extensions: Readonly<Record<string, unknown>>
  readonly writes: (accepts: readonly Written[]) => readonly Written[]
}

const TIMEOUT_SECONDS = 300
const TITLE = 'Market data'
const TYPE = 'application/json'

/** Writes a challenge as the reference middlewares do: v1 in the body, v2 in the header. */
export function writeChallenge(said: Statement): ChallengeBytes {
  const header = said.wire === 'v1' ? null : Buffer.from(JSON.stringify(v2Document(said))).toString('base64')
  return { header, body: said.wire === 'v2' ? '{}' : JSON.stringify(v1Document(said)) }
}

function v1Document({ method, bodyEntries, resource, hidesOutput, writes }: Statement) {
  const input = { type: 'http', method, discoverable: true }
  return {
    x402Version: 1,
    error: 'X-PAYMENT header is required',
    accepts: writes(
      bodyEntries.map(({ network, asset, payTo, amountAtomic, scheme = 'exact', extra }) => ({
        scheme,
        network: findNetwork(network)?.v1Name ?? network,
        maxAmountRequired: amountAtomic,
        resource,
        description: TITLE,
        mimeType: TYPE,
        payTo,
        maxTimeoutSeconds: TIMEOUT_SECONDS,
        asset,
        outputSchema: { input, ...(hidesOutput ? {} : { output: { type: 'object' } }) },
        extra,
      })),
    ),
  }
}

function v2Document({ method, entries, resource, hidesOutput, extensions, writes }: Statement) {
  const input =
    method === 'GET' ? { queryParams: { q: 'today' } } : { bodyType: 'json', body: { q: 'today' } }
  return {
    x402Version: 2,
    error: 'Payment required',
    resource: { url: resource, description: TITLE, mimeType: TYPE },
    accepts: writes(
      entries.map(({ network, asset, payTo, amountAtomic, scheme = 'exact', extra }) => ({
        scheme,
        network,
        amount: amountAtomic,
        asset,
        payTo,
        maxTimeoutSeconds: TIMEOUT_SECONDS,
        extra,
      })),
    ),
    extensions: {
      ...extensions,
      bazaar: {
        info: {
          input: { type: 'http', method, ...input },
          ...(hidesOutput ? {} : { output: { type: 'json', example: { title: TITLE } } }),
        },
      },
    },
  }
}
