import { type Economy, PAYERS, USDC, usdcAbi, WALLET_INDEX, walletAt } from '@touchstone402/economy'
import { type Address, createTestClient, createWalletClient, type Hex, http } from 'viem'
import { base } from 'viem/chains'

type Move = { from: Address; to: Address; value: bigint }

/** Actions on a token. */
export type TokenLife = {
  mint(to: Address, value: bigint): Promise<void>
  /** Makes several transfers in one transaction. */
  move(moves: readonly Move[]): Promise<void>
}

/** Creates functions that mint and transfer a token of the economy. */
export function createTokenLife({ chain }: Economy, token: Address = USDC): TokenLife {
  const account = walletAt(WALLET_INDEX.minter)
  const client = createWalletClient({ account, chain: base, transport: http(chain.rpcUrl) })
  const settle = async (hash: Hex) => {
    const { status } = await chain.publicClient.waitForTransactionReceipt({ hash })
    if (status !== 'success') throw new Error('the transaction was reverted')
  }
  const call = { address: token, abi: usdcAbi } as const
  return {
    mint: async (to, value) =>
      settle(await client.writeContract({ ...call, functionName: 'mint', args: [to, value] })),
    move: async (moves) =>
      settle(
        await client.writeContract({
          ...call,
          functionName: 'batchTransfer',
          args: [moves.map(({ from }) => from), moves.map(({ to }) => to), moves.map(({ value }) => value)],
        }),
      ),
  }
}

/** Sets the code of an address, by default to the economy's USDC contract. */
export async function placeCode({ chain }: Economy, address: Address, code?: Hex): Promise<void> {
  const bytecode = code ?? (await chain.publicClient.getCode({ address: USDC }))
  if (bytecode === undefined) throw new Error('the economy has no USDC')
  const test = createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) })
  await test.setCode({ address, bytecode })
}

/** Returns a payer of the chain's history. */
export function payer(index: number): Address {
  const address = PAYERS[index]
  if (address === undefined) throw new RangeError(`no payer ${index}`)
  return address
}

export const DEAD: Address = '0x000000000000000000000000000000000000dEaD'
/** The bridge of Base, which has a label. It has no code here. */
export const BRIDGE: Address = '0x4200000000000000000000000000000000000010'

/** Creates an hour of activity: mints, burns, zero transfers, round trips, a contract, and blocks with many transfers. */
export async function liveAnHour({ mint, move }: TokenLife): Promise<void> {
  const usd = (amount: number) => BigInt(amount) * 1_000_000n
  await mint(payer(0), usd(750_000))
  await mint(payer(1), 1n)
  await move([
    { from: payer(0), to: payer(2), value: usd(300_000) },
    { from: payer(2), to: payer(0), value: usd(299_999) },
    { from: payer(3), to: payer(3), value: usd(70_000) },
  ])
  await move([
    { from: payer(0), to: DEAD, value: usd(12_345) },
    { from: payer(4), to: payer(5), value: 0n },
    { from: payer(6), to: USDC, value: usd(55_555) },
    { from: payer(7), to: BRIDGE, value: usd(44_444) + 1n },
  ])
  for (let block = 0; block < 6; block++)
    await move(
      Array.from({ length: 7 }, (_, i) => ({
        from: payer(10 + ((block * 3 + i) % 20)),
        to: payer(12 + ((block * 5 + 2 * i) % 20)),
        value: usd(block * 11 + i) + BigInt(i),
      })),
    )
}
