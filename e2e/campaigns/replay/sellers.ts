import type { Economy } from '@touchstone402/economy'
import { type Child, startChild } from '../../support/child.ts'

/** Two processes that sell the same operations on one database. */
export type Sellers = {
  readonly origins: readonly [string, string]
  /** Number of handler runs by requested endpoint. */
  readonly runs: ReadonlyMap<string, number>
  close(): Promise<void>
}

const SELLER = new URL('./seller.ts', import.meta.url)

/** Starts both processes. */
export async function openSellers(
  { chain, wallets, facilitator }: Economy,
  databaseUrl: string,
): Promise<Sellers> {
  const runs = new Map<string, number>()
  const children: Child[] = []
  const open = async (number: number): Promise<string> => {
    const settings = {
      databaseUrl,
      number,
      chain: { network: chain.network },
      wallets: { service: { address: wallets.service.address } },
      facilitator: { url: facilitator.url },
    }
    const onLine = (line: string) => {
      const { ran } = JSON.parse(line) as { ran: string }
      runs.set(ran, (runs.get(ran) ?? 0) + 1)
    }
    const child = startChild(SELLER, { settings, onLine })
    children.push(child)
    return (await child.hear<{ origin: string }>()).origin
  }
  const close = async () => {
    for (const child of children) await child.kill()
  }
  try {
    return { origins: [await open(0), await open(1)], runs, close }
  } catch (error) {
    await close()
    throw error
  }
}
