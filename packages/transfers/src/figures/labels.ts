import { isBurnAddress } from '@touchstone402/shared'
import { LABEL_ROWS } from './labelData.ts'

/** What an address is; `unknown` where neither a label nor its code says. */
export type AddressKind =
  | 'burn'
  | 'mint'
  | 'contract'
  | 'eoa'
  | 'pool'
  | 'router'
  | 'bridge'
  | 'exchange'
  | 'unknown'

/** A known address, with the page that it is known from. */
export type Label = { readonly kind: AddressKind; readonly label: string; readonly source: string | null }

/** Finds the label of an address of one chain; null when there is none. Any case. */
export type Labels = (address: string) => Label | null

/** The labels of one chain. */
export const createLabels = (chainId: number): Labels => {
  const rows = LABEL_ROWS.filter(({ chainIds }) => chainIds === null || chainIds.includes(chainId))
  const known = new Map(rows.map(({ address, kind, label, source }) => [address, { kind, label, source }]))
  return (address) => {
    const lower = address.toLowerCase()
    if (isBurnAddress(lower)) return { kind: 'burn', label: 'Burn address', source: null }
    return known.get(lower as `0x${string}`) ?? null
  }
}
