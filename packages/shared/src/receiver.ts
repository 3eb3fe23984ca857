/** Minimum number of distinct payers of an established receiver. */
export const ESTABLISHED_PAYERS = 10
/** Minimum number of receipts of an established receiver. */
export const ESTABLISHED_RECEIPTS = 50

/** `established`, `dormant` or `blank`, as the score spec defines them. */
export type ReceiverCategory = 'established' | 'dormant' | 'blank'
