/** Minimum number of distinct payers of an established receiver. */
export const ESTABLISHED_PAYERS = 10
/** Minimum number of receipts of an established receiver. */
export const ESTABLISHED_RECEIPTS = 50

/** Category of a receiver, as the score specification defines it. */
export type ReceiverCategory = 'established' | 'dormant' | 'blank'
