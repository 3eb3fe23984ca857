import { findNetwork } from '@touchstone402/shared'
import type { Facilitator, SupportedKind } from './facilitator.ts'

/** Result of the start-up check of a facilitator. */
export type FacilitatorCheck =
  | { readonly kind: 'ok'; readonly speaksV1: boolean }
  /** It does not settle on our network; the message names the settings. */
  | { readonly kind: 'unsuitable'; readonly message: string }
  | { readonly kind: 'unreachable'; readonly cause: unknown }

/**
 * Checks whether a facilitator settles the exact scheme on a network. An unreachable one need not stop the start:
 * challenges are made locally, and paid calls get 503 until it is back.
 */
export async function checkFacilitator(facilitator: Facilitator, network: string): Promise<FacilitatorCheck> {
  let kinds: readonly SupportedKind[]
  try {
    kinds = await facilitator.supported()
  } catch (cause) {
    return { kind: 'unreachable', cause }
  }
  const exact = kinds.filter(({ scheme }) => scheme === 'exact')
  const settles = (version: number, ...names: (string | undefined)[]) =>
    exact.some((kind) => kind.x402Version === version && names.includes(kind.network))
  if (!settles(2, network, `${network.split(':')[0]}:*`)) {
    const known = [...new Set(exact.map((kind) => kind.network))].slice(0, 20).join(', ') || 'none'
    return {
      kind: 'unsuitable',
      message: `FACILITATOR_URL: ${facilitator.url} does not settle "exact" on ${network} (NETWORK); it settles on: ${known}`,
    }
  }
  return { kind: 'ok', speaksV1: settles(1, findNetwork(network)?.v1Name) }
}
