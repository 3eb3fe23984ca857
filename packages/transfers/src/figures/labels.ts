import { isBurnAddress, type TokenAddress } from '@touchstone402/shared'
import pages from './labels.json' with { type: 'json' }

/** Addresses that one page documents. `chainIds` is null if they are the same on every chain. */
type LabelPage = {
  readonly source: string
  readonly chainIds: readonly number[] | null
  readonly addresses: readonly (Pick<Label, 'kind' | 'label'> & { readonly address: string })[]
}

/** Label of a known address, with the page that documents it. */
export type Label = {
  readonly kind: TokenAddress['kind']
  readonly label: string
  readonly source: string | null
}

/** Returns the label of an address of one chain, in any case; null if there is none. */
export type Labels = (address: string) => Label | null

/** Creates the labels of one chain. */
export function createLabels(chainId: number): Labels {
  const known = new Map<string, Label>()
  for (const { source, chainIds, addresses } of pages as readonly LabelPage[])
    if (chainIds === null || chainIds.includes(chainId))
      for (const { address, kind, label } of addresses) known.set(address, { kind, label, source })
  return (address) => {
    const lower = address.toLowerCase()
    if (isBurnAddress(lower)) return { kind: 'burn', label: 'Burn address', source: null }
    return known.get(lower) ?? null
  }
}
