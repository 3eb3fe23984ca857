/** Outcomes of the test purchases at an endpoint. */
export const DELIVERY_STATUSES = ['delivered', 'never_bought', 'cannot_be_bought', 'failed'] as const

/**
 * Reasons for which an endpoint cannot be bought from, or its delivery does not count, with a sentence for readers. In the
 * order in which they rule out: the last one is the nearest to a purchase.
 */
export const UNBUYABLE_REASONS = {
  no_shopper: 'This service makes no test purchases.',
  opted_out: 'The host declines probes.',
  not_live: 'The endpoint does not answer with valid payment terms.',
  not_declared: 'No document of the host itself declares the endpoint.',
  input_open: 'The host declares the endpoint with open parameters only.',
  never_paid: 'The receiver was never paid, and a test purchase would be its first payment.',
  high_risk: 'A finding of high risk is open.',
  not_payable: 'No exact offer in USDC is on the network that test purchases are paid on.',
  price_above_limit: 'The price is above the limit of test purchases; a seller may fund one in advance.',
  receivers_differ: 'A purchase was delivered, but not every offer pays the receiver that it paid.',
} as const

/** Code of a reason for which an endpoint cannot be bought from. */
export type UnbuyableReason = keyof typeof UNBUYABLE_REASONS

/** A delivery counts for prices up to so many times what was paid for it. */
export const DELIVERY_PRICE_FACTOR = 3
