import { cloaker } from './bad/cloaker.ts'
import { fakeAsset } from './bad/fake-asset.ts'
import { neverPaid } from './bad/never-paid.ts'
import { noDelivery } from './bad/no-delivery.ts'
import { noTerms } from './bad/no-terms.ts'
import { overpriced } from './bad/overpriced.ts'
import { perRequest } from './bad/per-request.ts'
import { priceBait } from './bad/price-bait.ts'
import { swapNow } from './bad/swap-now.ts'
import { swapped } from './bad/swapped.ts'
import { testnet } from './bad/testnet.ts'
import { announced } from './honest/announced.ts'
import { dead } from './honest/dead.ts'
import { honestBoth } from './honest/honest-both.ts'
import { honestSearch } from './honest/honest-search.ts'
import { honestTranslate } from './honest/honest-translate.ts'
import { honestV1 } from './honest/honest-v1.ts'
import { honestV2 } from './honest/honest-v2.ts'
import { honestWeather } from './honest/honest-weather.ts'
import { optedOut } from './honest/opted-out.ts'
import { postOnly } from './honest/post-only.ts'
import type { SellerSpec } from './types.ts'

/** Every seller of the economy. */
export const allSellers: readonly SellerSpec[] = [
  honestV2,
  honestV1,
  honestBoth,
  postOnly,
  honestWeather,
  honestSearch,
  honestTranslate,
  overpriced,
  testnet,
  dead,
  noTerms,
  swapped,
  swapNow,
  priceBait,
  noDelivery,
  cloaker,
  neverPaid,
  fakeAsset,
  perRequest,
  announced,
  optedOut,
]
