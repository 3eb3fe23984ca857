import { CLOAKS_OTHER_OFFER } from './badCloaks.ts'
import { ADDS_NETWORK_SILENTLY, PAYS_OTHER_THAN_DOCUMENT, RANDOM_PRICE } from './badOffers.ts'
import { CHANGES_PLACE, OPTS_OUT_UNDER_INCIDENT } from './badRecords.ts'
import { NAMED_BY_A_THIEF, RIVALS_LISTING, TENANTS } from './honestDocuments.ts'
import { FILTERS, FREE_QUOTA, SIGNED_DEPOSITS, SLOW } from './honestNews.ts'
import type { Kind } from './parts.ts'

/** Kinds whose rules are not built yet. Each moves to its list once its rule is. */
export const AWAITED: readonly Kind[] = [
  ...[RANDOM_PRICE, ADDS_NETWORK_SILENTLY, CLOAKS_OTHER_OFFER, PAYS_OTHER_THAN_DOCUMENT],
  ...[OPTS_OUT_UNDER_INCIDENT, ...CHANGES_PLACE],
  ...[RIVALS_LISTING, NAMED_BY_A_THIEF, TENANTS, FREE_QUOTA, SLOW, FILTERS, SIGNED_DEPOSITS],
]
