import { writeFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import {
  type Address,
  createPublicClient,
  createTestClient,
  createWalletClient,
  encodeFunctionData,
  fromHex,
  type Hex,
  http,
  type PublicClient,
  publicActions,
  toHex,
} from 'viem'
import { WALLET_INDEX, walletAt } from '../wallets.ts'
import { startAnvil } from './anvil.ts'
import artifact from './artifacts/Usdc.json' with { type: 'json' }
import { baseChain } from './baseChain.ts'
import { HISTORY_DAYS, PAYERS, type PastReceiver, type PastTransfer, planHistory } from './history.ts'
import { USDC, usdcAbi } from './usdc.ts'

/** A local chain with Base's id, USDC, and 45 days of history. */
export type Chain = {
  rpcUrl: string
  chainId: 8453
  /** CAIP-2 id of the chain. */
  network: 'eip155:8453'
  usdc: Address
  /** Process id of anvil. */
  pid: number
  publicClient: PublicClient
  /** Returns the balance of an address in atomic USDC (6 decimals). */
  usdcBalanceOf(address: Address): Promise<bigint>
  /** Mints USDC to an address and waits until it is mined. */
  mintUsdc(to: Address, amountAtomic: bigint): Promise<Hex>
  /** Mines empty blocks (default 1). `finalized` is the head minus 64. */
  mine(blocks?: number): Promise<void>
  /** Writes the state to a file from which another chain can start. */
  save(path: string): Promise<void>
  stop(): Promise<void>
}

const DAY_S = 86_400
const FUNDS_PER_PAYER = 2_000_000_000_000n
const FINALITY_BLOCKS = 64
// Many mints share a block, and one batch may fill it.
const MINT_GAS = 200_000n
const BLOCK_GAS = 30_000_000n
// Wallets are funded an hour before the history begins. The history ends twenty minutes before now.
const FOUNDING_LEAD_S = 3_600
const RECENT_GAP_S = 1_200
// An idle chain mines an empty block after this time.
const IDLE_S = 30
const HEARTBEAT_MS = 10_000

/**
 * Starts the chain, deploys USDC, creates the history and advances the chain's time to now.
 * @param options.historyBlocks blocks with transfers. @default 240
 * @param options.state file that a chain with the same receivers and funds has saved, to start from instead
 */
export async function startChain(options: {
  receivers: readonly PastReceiver[]
  funded: readonly { address: Address; amountAtomic: bigint }[]
  historyBlocks?: number
  state?: string | undefined
}): Promise<Chain> {
  const { state } = options
  const nowS = Math.floor(Date.now() / 1000)
  const anvil = await startAnvil({
    chainId: baseChain.id,
    genesisTimestamp: nowS - HISTORY_DAYS * DAY_S - 3_600,
    state,
  })
  try {
    const transport = http(anvil.rpcUrl, { retryCount: 0 })
    const publicClient: PublicClient = createPublicClient({
      chain: baseChain,
      transport,
      pollingInterval: 20,
      cacheTime: 0,
    })
    const test = createTestClient({ mode: 'anvil', chain: baseChain, transport }).extend(publicActions)
    const minter = walletAt(WALLET_INDEX.minter).address
    const setTime = (seconds: number) =>
      test.request<{ Method: 'evm_setTime'; Parameters: [number]; ReturnType: number }>({
        method: 'evm_setTime',
        params: [seconds * 1000],
      })
    const send = minterSender(anvil.rpcUrl, minter)

    const mineAt = (seconds: number) =>
      test.request<{ Method: 'evm_mine'; Parameters: [number]; ReturnType: string }>({
        method: 'evm_mine',
        params: [seconds],
      })

    const mineHistory = async () => {
      await test.setCode({ address: USDC, bytecode: artifact.deployedBytecode as Hex })
      const plan = planHistory(options.receivers, options.historyBlocks ?? 240)
      const startS = nowS - HISTORY_DAYS * DAY_S
      const founders = [
        ...PAYERS.map((address) => ({ address, amountAtomic: FUNDS_PER_PAYER })),
        ...options.funded,
      ]
      for (const { address, amountAtomic } of founders) await send(mintCall(address, amountAtomic), MINT_GAS)
      await mineAt(startS - FOUNDING_LEAD_S)
      const stepS = (HISTORY_DAYS * DAY_S - RECENT_GAP_S) / plan.length
      for (const [index, transfers] of plan.entries()) {
        await send(batchCall(transfers), BLOCK_GAS)
        await mineAt(Math.floor(startS + (index + 1) * stepS))
      }
      // Finalize the history.
      await setTime(nowS - RECENT_GAP_S / 2)
      await test.mine({ blocks: FINALITY_BLOCKS + 2, interval: 2 })
    }

    await test.setLoggingEnabled(false)
    // Anvil responds before it mines, so automining could put a transfer into the wrong block.
    await test.setAutomine(false)
    if (state === undefined) await mineHistory()
    await setTime(Math.floor(Date.now() / 1000))
    await test.mine({ blocks: 1 })
    await test.setAutomine(true)
    // A chain that stands still looks like a node that is stuck.
    const beat = async () => {
      const { timestamp } = await publicClient.getBlock()
      if (Date.now() / 1000 - Number(timestamp) > IDLE_S) await test.mine({ blocks: 1 })
    }
    const heartbeat = setInterval(() => void beat().catch(() => {}), HEARTBEAT_MS)
    heartbeat.unref()

    return {
      rpcUrl: anvil.rpcUrl,
      chainId: baseChain.id,
      network: 'eip155:8453',
      usdc: USDC,
      pid: anvil.pid,
      publicClient,
      usdcBalanceOf: (address) =>
        publicClient.readContract({
          address: USDC,
          abi: usdcAbi,
          functionName: 'balanceOf',
          args: [address],
        }),
      mintUsdc: async (to, amountAtomic) => {
        const hash = await send(mintCall(to, amountAtomic), MINT_GAS)
        await publicClient.waitForTransactionReceipt({ hash })
        return hash
      },
      mine: (blocks = 1) => test.mine({ blocks }),
      save: async (path) => {
        const packed = await test.request<{
          Method: 'anvil_dumpState'
          Parameters: [boolean]
          ReturnType: Hex
        }>({
          method: 'anvil_dumpState',
          // With the states of earlier blocks, since balances are also read at the finalized block.
          params: [true],
        })
        await writeFile(path, gunzipSync(fromHex(packed, 'bytes')))
      },
      stop: () => {
        clearInterval(heartbeat)
        return anvil.stop()
      },
    }
  } catch (error) {
    await anvil.stop()
    throw error
  }
}

const mintCall = (to: Address, amountAtomic: bigint) =>
  encodeFunctionData({ abi: usdcAbi, functionName: 'mint', args: [to, amountAtomic] })

const batchCall = (transfers: readonly PastTransfer[]) =>
  encodeFunctionData({
    abi: usdcAbi,
    functionName: 'batchTransfer',
    args: [transfers.map((t) => t.from), transfers.map((t) => t.to), transfers.map((t) => t.amountAtomic)],
  })

// Anvil holds the minter's key and needs no gas estimate, so each mint is one call.
function minterSender(rpcUrl: string, minter: Address): (data: Hex, gas: bigint) => Promise<Hex> {
  const client = createWalletClient({ transport: http(rpcUrl, { retryCount: 0 }) })
  return (data, gas) =>
    client.request({
      method: 'eth_sendTransaction',
      params: [{ from: minter, to: USDC, data, gas: toHex(gas) }],
    })
}
