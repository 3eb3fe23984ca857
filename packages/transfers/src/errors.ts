/** The errors alone: whoever tells them apart need not load what reads the chain. */

export { ChainError, type ChainErrorCode } from './chainError.ts'
export { TokenError, type TokenErrorCode } from './tokenError.ts'
