/** Test support for packages that read transfers. */

export { columnsOf, type Row } from './columnsOf.ts'
export { openTokenKinds, type TokenKind, type TokenKinds } from './tokenKinds.ts'
