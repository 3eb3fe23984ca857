import { allSellers, type SellerSpec } from '@touchstone402/economy'

/** Names by what each sells: an id says how its seller behaves, which is what the audit has to find out. */
const NAMES: Readonly<Record<string, string>> = {
  'honest-v2': 'weather',
  'honest-v1': 'rates',
  'honest-both': 'filings',
  'post-only': 'sentiment',
  'honest-weather': 'forecast',
  'honest-search': 'search',
  'honest-translate': 'translate',
  overpriced: 'premium-weather',
  testnet: 'headlines',
  dead: 'quotes',
  'no-terms': 'papers',
  swapped: 'companies',
  'swap-now': 'geocode',
  'price-bait': 'domains',
  'no-delivery': 'captions',
  cloaker: 'transcribe',
  'never-paid': 'legal',
  'fake-asset': 'sports',
  'per-request': 'proxies',
  announced: 'exchange',
  'opted-out': 'postcodes',
}

/**
 * Returns the sellers of the economy under names that a reader understands.
 * @throws if a seller has no name
 */
export function nameSellers(specs: readonly SellerSpec[] = allSellers): SellerSpec[] {
  return specs.map((spec) => {
    const name = NAMES[spec.id]
    if (name === undefined) throw new Error(`the demonstration has no name for ${spec.id}`)
    return { ...spec, name }
  })
}
