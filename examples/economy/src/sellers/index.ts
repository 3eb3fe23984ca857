import { announced } from './announced.ts'
import { cloaker } from './cloaker.ts'
import { dead } from './dead.ts'
import { fakeAsset } from './fake-asset.ts'
import { honestBoth } from './honest-both.ts'
import { honestSearch } from './honest-search.ts'
import { honestTranslate } from './honest-translate.ts'
import { honestV1 } from './honest-v1.ts'
import { honestV2 } from './honest-v2.ts'
import { honestWeather } from './honest-weather.ts'
import { neverPaid } from './never-paid.ts'
import { noDelivery } from './no-delivery.ts'
import { noTerms } from './no-terms.ts'
import { optedOut } from './opted-out.ts'
import { overpriced } from './overpriced.ts'
import { perRequest } from './per-request.ts'
import { postOnly } from './post-only.ts'
import { priceBait } from './price-bait.ts'
import { swapNow } from './swap-now.ts'
import { swapped } from './swapped.ts'
import { testnet } from './testnet.ts'
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
