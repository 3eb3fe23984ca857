/**
 * A market to test against: the offers of honest sellers and thieves in every protocol, and a double of a facilitator.
 * Plain data and functions, which any test can serve by any transport.
 */
export {
  createFacilitator,
  type FacilitatorDouble,
  type Settlement,
  type SettlingChain,
} from './facilitator.ts'
export {
  type Ask,
  type AskedAt,
  OFFER_FORMS,
  type OfferForm,
  STOCK_FORMS,
  toV1,
  toV2,
  UPTO_FACILITATOR,
  type Written402,
} from './offerForms.ts'
export { readTransfer, type SignedTransfer, toNonce } from './readPayment.ts'
export { TWISTS, type TwistName } from './twists.ts'
