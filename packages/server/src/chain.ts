/** Chain data and token intelligence on their own, without the rest of the service. */

export { createAddressTable } from './adapters/chain/addressTable.ts'
export { receiveBody } from './adapters/chain/body.ts'
export { createColumnBuilder } from './adapters/chain/columnBuilder.ts'
export { createTransferSource, type TransferSourceOptions } from './adapters/chain/createTransferSource.ts'
export { createLogStream, decodeLogsBytes } from './adapters/chain/logStream.ts'
export { ChainError } from './domain/chainError.ts'
export { createTokenAnswers, type TokenAnswers, type TokenQuery } from './domain/token/answerToken.ts'
export { measureFlow } from './domain/token/flowFigures.ts'
export { TokenError } from './domain/tokenError.ts'
export { createTokenWarmer, type TokenWarmer, type TokenWarmerOptions } from './jobs/warmTokens.ts'
export type { Address, TransferColumns, TransferSource } from './ports/chain.ts'
