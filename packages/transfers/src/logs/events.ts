/** Topic 0 of `Transfer(address,address,uint256)`. */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** Topic 0 of `Deposit(address,uint256)`, which WETH9 logs when it mints. */
export const DEPOSIT_TOPIC = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c'
/** Topic 0 of `Withdrawal(address,uint256)`, which WETH9 logs when it burns. */
export const WITHDRAWAL_TOPIC = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65'

/** Topics of the events that become rows, and their places in lists. */
export const EVENT_TOPICS = [TRANSFER_TOPIC, DEPOSIT_TOPIC, WITHDRAWAL_TOPIC] as const
export const TRANSFER = 0
export const DEPOSIT = 1
export const WITHDRAWAL = 2

/** Place of an event in `EVENT_TOPICS`. */
export type EventPlace = 0 | 1 | 2

/** Number of topics of an event in the form that can be read. */
export const TOPIC_COUNTS: readonly number[] = [3, 2, 2]
