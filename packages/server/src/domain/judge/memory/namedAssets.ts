import { sameAddress } from '@touchstone402/shared'
import type { Observation } from '../../facts/facts.ts'

/** Networks and tokens that an endpoint ever named. */
export type NamedAssets = readonly { readonly network: string; readonly asset: string }[]

/** Of more than four not all are canonical USDC of one network, which is all that is asked. */
const MAX_ASSETS = 5

export const NO_ASSETS: NamedAssets = []

/** Adds the networks and tokens of a probe, up to five different ones. */
export function addAssets(assets: NamedAssets, { offers }: Observation): NamedAssets {
  let known = assets
  for (const { network, asset } of offers) {
    const isKnown = known.some((one) => one.network === network && sameAddress(one.asset, asset))
    if (!isKnown && known.length < MAX_ASSETS) known = [...known, { network, asset }]
  }
  return known
}
