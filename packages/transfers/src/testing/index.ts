/** Test support for packages that read transfers. */

export { type Anvil, type LocalChain, startAnvil } from './anvil.ts'
export { columnsOf, type Row, wholeRead } from './columnsOf.ts'
export { placeWallet } from './contractWallet.ts'
export { openTokenKinds, type TokenKind, type TokenKinds } from './tokenKinds.ts'
export { useChain } from './useChain.ts'
