/** ERC-20 transfers of one chain, and figures of tokens and receivers computed from them. */

export type {
  Chain,
  ChainCounts,
  ChainOptions,
  ChainRead,
  ChainReads,
  DayRead,
  Payment,
  PaymentQuery,
  ReceiverProfile,
  RpcQuery,
} from './chain.ts'
export { ChainError, type ChainErrorCode } from './chainError.ts'
export { addressAt, isZeroAt, logIndexAt, txHashAt, valueAt } from './columns/columns.ts'
export { createChain } from './createChain.ts'
export { createTransferSource } from './createTransferSource.ts'
export type { DayAnswers } from './figures/dayAnswers.ts'
export { profileReceiver } from './figures/profileReceiver.ts'
export { createTokenAnswers, type TokenAnswers, type TokenQuery } from './figures/tokenAnswers.ts'
export { createRpcCounts, type RpcCounts } from './rpc/rpcPurpose.ts'
export { TokenError, type TokenErrorCode } from './tokenError.ts'
export type {
  Address,
  ReadOptions,
  ReceiverFacts,
  ReceiverQuery,
  Rpc,
  TransferColumns,
  TransferQuery,
  TransferSource,
} from './types.ts'
export { createTokenWarmer } from './warmTokens.ts'
