import type { SignedTransfer } from '@touchstone402/shared/market'
import type { Books } from './books.ts'
import type { Chain } from './outside/chain.ts'
import type { Disk } from './outside/disk.ts'
import type { Order } from './outside/order.ts'
import type { RpcMood } from './outside/rpc.ts'
import type { MarketParts, Seller } from './outside/sellers.ts'
import type { Time } from './outside/time.ts'
import type { Trace } from './outside/trace.ts'
import type { WalletMood } from './process/machine.ts'
import type { Surroundings } from './process/seams.ts'
import type { SetUp } from './setUp.ts'

/** Everything around the guards of a world, and the true record of what happened. */
export type Facts = Surroundings & {
  readonly setUp: SetUp
  readonly time: Time
  readonly trace: Trace
  readonly order: Order
  readonly books: Books
  readonly chain: Chain
  readonly disk: Disk
  readonly sellers: readonly Seller[]
  /** Moods of the RPC endpoints. */
  readonly rpcs: RpcMood[]
  readonly market: MarketParts
  /** Payments that thieves keep to collect them later. */
  readonly held: SignedTransfer[]
  walletMood: WalletMood
  /** Whether the ledger was ever changed behind the guard's back. */
  isTampered: boolean
  /** The first violation that was found between two commands. */
  violation: Error | null
}
