import { findNetwork } from '@touchstone402/shared'
import type { Facilitator } from './facilitator.ts'

/** What a facilitator can do for us: both versions, v2 alone, or not known while it is down. */
export type FacilitatorCheck =
  | { readonly kind: 'ok'; readonly speaksV1: boolean }
  /** A setting is wrong: the message says which and why. */
  | { readonly kind: 'unsuitable'; readonly message: string }
  | { readonly kind: 'unreachable'; readonly cause: unknown }

/**
 * Asks a facilitator, at start, whether it settles the exact scheme on a network. Being down is no reason not to start:
 * challenges are made here, and paid calls get 503 until it is back.
 * @param settings names of the settings, for the message
 */
export async function checkFacilitator(
  facilitator: Facilitator,
  network: string,
  settings: { facilitatorUrl: string; network: string },
): Promise<FacilitatorCheck> {
  let kinds: Awaited<ReturnType<Facilitator['supported']>>
  try {
    kinds = await facilitator.supported()
  } catch (cause) {
    return { kind: 'unreachable', cause }
  }
  const exact = kinds.filter(({ scheme }) => scheme === 'exact')
  const settles = (version: number, name: string | undefined) =>
    exact.some(
      (kind) =>
        kind.x402Version === version &&
        (kind.network === name || (version === 2 && kind.network === `${name?.split(':')[0]}:*`)),
    )
  if (!settles(2, network)) {
    const known = [...new Set(exact.map((kind) => kind.network))].slice(0, 20).join(', ') || 'none'
    return {
      kind: 'unsuitable',
      message: `${settings.facilitatorUrl}: ${facilitator.url} does not settle "exact" on ${network} (${settings.network}); it knows: ${known}`,
    }
  }
  return { kind: 'ok', speaksV1: settles(1, findNetwork(network)?.v1Name) }
}
