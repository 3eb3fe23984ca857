import { type Economy, PAYERS, start, USDC, usdcAbi, WALLET_INDEX, walletAt } from '@touchstone402/economy'
import { createMemoryStore, createTokenOperations } from '@touchstone402/server/parts'
import { PulseSchema } from '@touchstone402/shared'
import { createTokenAnswers, createTokenWarmer, createTransferSource } from '@touchstone402/transfers'
import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { type Address, createWalletClient, getAddress, http, numberToHex } from 'viem'
import { base } from 'viem/chains'
import { openShop, type Shop } from '../e2e/support/shop.ts'

/** Transfers per transaction. Each to a new address costs 35,000 gas. */
const BATCH = 500
/** Maximum share of the bare payment's time that a cached answer may add. */
const WARM_BAR = 0.5

/**
 * Buys `/pulse` of the last hour with the stock client, end to end: from a service with an empty cache (cold), from one
 * with a warm cache, and from one that returns a fixed answer (the bare payment). The three are interleaved. The cold
 * one is compared with the time the RPC alone takes to send the same logs.
 */
export async function run({ short }: { short: boolean }) {
  const transfers = short ? 4000 : 20_000
  const rounds = short ? 10 : 40
  const economy = await start({ sellers: [], clock: 'real' })
  try {
    await spray(economy, transfers)
    const { chain, wallets } = economy
    const [account] = wallets.bots
    if (account === undefined) throw new Error('the economy has no bot')
    const pay = wrapFetchWithPayment(fetch, registerExactEvmScheme(new x402Client(), { signer: account }))
    const buy = async (shop: Shop) => {
      const startedAt = performance.now()
      const response = await pay(`${shop.origin}/pulse?token=${USDC}`)
      const body: unknown = await response.json()
      const ms = performance.now() - startedAt
      if (response.status !== 200) throw new Error(`the purchase failed: ${JSON.stringify(body)}`)
      return { ms, pulse: PulseSchema.parse(body) }
    }
    const openSource = () => createTransferSource({ chainId: chain.chainId, urls: [chain.rpcUrl] })
    const operationsOn = (source: ReturnType<typeof openSource>) =>
      createTokenOperations({
        tokens: createTokenAnswers({ source, now: Date.now, checksum: (address) => getAddress(address) }),
      })
    const open = (answers: Partial<ReturnType<typeof createTokenOperations>>) =>
      openShop({ economy, store: createMemoryStore(), answers })

    const kept = openSource()
    const warmer = createTokenWarmer({ source: kept, tokens: [USDC] })
    await warmer.refresh()
    warmer.start()
    let fresh = openSource()
    const shops = {
      bare: await open({}),
      warm: await open(operationsOn(kept)),
      cold: await open({ pulse: (query, context) => operationsOn(fresh).pulse(query, context) }),
    }
    const ms = { bare: [] as number[], warm: [] as number[], cold: [] as number[], rpc: [] as number[] }
    for (let round = 0; round <= rounds; round++) {
      const bare = await buy(shops.bare)
      const warm = await buy(shops.warm)
      const cold = await buy(shops.cold)
      for (const { pulse } of [warm, cold])
        if (!pulse.window.complete || pulse.transfers < transfers) throw new Error('transfers are missing')
      const rpc = await fetchLogs(economy, cold.pulse.window)
      await fresh.close()
      fresh = openSource()
      // Round 0 is a warm-up.
      if (round === 0) continue
      ms.bare.push(bare.ms)
      ms.warm.push(warm.ms)
      ms.cold.push(cold.ms)
      ms.rpc.push(rpc)
    }
    await warmer.stop()
    await Promise.all([kept.close(), fresh.close(), ...Object.values(shops).map((shop) => shop.close())])
    const added = (name: 'warm' | 'cold') => ms[name].map((one, i) => one - (ms.bare[i] ?? Number.NaN))
    const warmAddsVsBare = at(added('warm'), 0.5) / at(ms.bare, 0.5)
    const figures = {
      transfers,
      purchases: rounds,
      ...percentiles('barePayment', ms.bare),
      ...percentiles('pulseWarm', ms.warm),
      ...percentiles('pulseCold', ms.cold),
      ...percentiles('rpcAlone', ms.rpc),
      warmAddsVsBare: tidy(warmAddsVsBare),
      coldAddsVsRpc: tidy(at(added('cold'), 0.5) / at(ms.rpc, 0.5)),
    }
    return { ok: warmAddsVsBare <= WARM_BAR, figures }
  } finally {
    await economy.stop()
  }
}

/** Sends many transfers and mines until they are final. */
async function spray({ chain }: Economy, transfers: number): Promise<void> {
  const account = walletAt(WALLET_INDEX.minter)
  const client = createWalletClient({ account, chain: base, transport: http(chain.rpcUrl) })
  const payer = (index: number): Address => PAYERS[index % PAYERS.length] ?? USDC
  for (let sent = 0; sent < transfers; sent += BATCH) {
    const rows = Array.from({ length: BATCH }, (_, i) => sent + i)
    const hash = await client.writeContract({
      address: USDC,
      abi: usdcAbi,
      functionName: 'batchTransfer',
      args: [
        rows.map(payer),
        rows.map((row) => (row % 2 === 0 ? payer(row * 7 + 1) : numberToHex(row + 1_000_000, { size: 20 }))),
        rows.map((row) => BigInt(((row * 7919) % 1000) + 1) * 1000n),
      ],
      gas: 29_000_000n,
    })
    const { status } = await chain.publicClient.waitForTransactionReceipt({ hash })
    if (status !== 'success') throw new Error('a batch reverted')
  }
  await chain.mine(70)
}

/** Returns the time in ms that the RPC takes to send the logs of the window. */
async function fetchLogs(
  { chain }: Economy,
  { fromBlock, toBlock }: { fromBlock: number; toBlock: number },
): Promise<number> {
  const filter = { address: USDC, fromBlock: numberToHex(fromBlock), toBlock: numberToHex(toBlock) }
  const startedAt = performance.now()
  const response = await fetch(chain.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [filter] }),
  })
  await response.arrayBuffer()
  return performance.now() - startedAt
}

const at = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.max(0, Math.ceil(share * values.length) - 1)] ?? Number.NaN

const tidy = (value: number): number => Math.round(value * 100) / 100

const percentiles = (name: string, values: readonly number[]) => ({
  [`${name}P50Ms`]: tidy(at(values, 0.5)),
  [`${name}P95Ms`]: tidy(at(values, 0.95)),
})
