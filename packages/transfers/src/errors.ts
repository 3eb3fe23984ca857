/** Errors of reading a chain, for callers that must not load the reader. */

export { ChainError, type ChainErrorCode } from './chainError.ts'
export { TokenError, type TokenErrorCode } from './tokenError.ts'
