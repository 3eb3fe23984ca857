export {
  CARELESS_WALLET,
  PERMIT2,
  permit2Abi,
  placeContracts,
  UPTO_PROXY,
  WALLET_FACTORY,
  walletAbi,
} from './chain/contracts.ts'
export { PAYERS, type PastKind } from './chain/history.ts'
export type { Chain } from './chain/startChain.ts'
export { USDC, USDC_BASE_SEPOLIA, usdcAbi } from './chain/usdc.ts'
export { createClock, type EconomyClock, HEAD_START_MS } from './clock.ts'
export type { FacilitatorFaults } from './facilitator.ts'
export { lookup } from './network.ts'
export { allSellers } from './sellers/index.ts'
export type {
  BazaarClaims,
  Character,
  Index402Claims,
  ReceiverSpec,
  Seller,
  SellerContext,
  SellerSpec,
} from './sellers/types.ts'
export { start } from './start.ts'
export type { Economy, SellerHandle, StartOptions } from './types.ts'
export { keyAt, TEST_MNEMONIC, WALLET_INDEX, walletAt } from './wallets.ts'
