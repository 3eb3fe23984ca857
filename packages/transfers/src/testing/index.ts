/** Test support for packages that read transfers. */

export { type Anvil, type LocalChain, startAnvil } from './anvil.ts'
export { placeWallet } from './contractWallet.ts'
export { emit, placeEventToken } from './eventToken.ts'
export { aPayment, pickPayments } from './payments.ts'
export { openTokenKinds, type TokenKind, type TokenKinds } from './tokenKinds.ts'
export { useChain } from './useChain.ts'
