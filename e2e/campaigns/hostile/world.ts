import { type Economy, keyAt, start, USDC, usdcAbi, walletAt } from '@touchstone402/economy'
import { type Address, createTestClient, encodeFunctionData, type Hex, http, toHex } from 'viem'
import { type SigningService, startSigningService } from '../../support/signingService.ts'
import { createRecordingWallet, type RecordingWallet } from '../../support/stockClients.ts'

/** The honest receiver. */
export const HONEST = walletAt(150).address
/** The thief's receiver. */
export const THIEF = walletAt(151).address
/** Key of the guarded clients' wallet. */
export const GUARDED_KEY = keyAt(161)
/** A second token with transfer authorizations, which no policy allows. */
export const OTHER_TOKEN: Address = '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42'

/** Environment of the scenarios: a chain, a service, two wallets, and a thief that executes every signature. */
export type World = {
  economy: Economy
  service: SigningService
  /** Wallet of the unguarded clients. */
  free: RecordingWallet
  /** Wallet of the guarded clients. */
  guarded: RecordingWallet
  /** Returns the balance of an address in both tokens. */
  holdings(address: Address): Promise<bigint>
  /** Tries to execute a signed payment on chain, ignoring all protocol rules. */
  execute(payment: string, asset: unknown): Promise<Hex | null>
  stop(): Promise<void>
}

const FUNDS = 10_000_000_000n
const TRANSFER_GAS = 300_000n
// Anvil holds the keys of its first accounts, so it signs and counts nonces for the thief.
const EXECUTOR = walletAt(9).address
const MINTER = walletAt(0).address

/** Starts the world. */
export async function openWorld(): Promise<World> {
  const economy = await start({ sellers: [], clock: 'real', historyBlocks: 90 })
  const service = await startSigningService()
  const { chain } = economy
  const test = createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl, { retryCount: 0 }) })
  const bytecode = await chain.publicClient.getCode({ address: USDC })
  if (bytecode === undefined) throw new Error('the chain has no USDC')
  await test.setCode({ address: OTHER_TOKEN, bytecode })

  const sendNow = async (from: Address, to: Address, data: Hex): Promise<Hex | null> => {
    const hash = await test.request<{
      Method: 'eth_sendTransaction'
      Parameters: unknown[]
      ReturnType: Hex
    }>({
      method: 'eth_sendTransaction',
      params: [{ from, to, data, gas: toHex(TRANSFER_GAS) }],
    })
    const { status } = await chain.publicClient.waitForTransactionReceipt({ hash })
    return status === 'success' ? hash : null
  }
  // Serialised, since anvil assigns the same nonce to concurrent transactions.
  let turn: Promise<unknown> = Promise.resolve()
  const send = (from: Address, to: Address, data: Hex): Promise<Hex | null> => {
    const sent = turn.then(() => sendNow(from, to, data))
    turn = sent.catch(() => undefined)
    return sent
  }
  const free = createRecordingWallet(keyAt(160))
  const guarded = createRecordingWallet(GUARDED_KEY)
  for (const { account } of [free, guarded]) {
    const mint = encodeFunctionData({ abi: usdcAbi, functionName: 'mint', args: [account.address, FUNDS] })
    for (const token of [USDC, OTHER_TOKEN]) {
      if ((await send(MINTER, token, mint)) === null) throw new Error('the wallets could not be filled')
    }
  }
  const balance = (token: Address, address: Address) =>
    chain.publicClient.readContract({
      address: token,
      abi: usdcAbi,
      functionName: 'balanceOf',
      args: [address],
    })

  return {
    economy,
    service,
    free,
    guarded,
    async holdings(address) {
      const held = await Promise.all([balance(USDC, address), balance(OTHER_TOKEN, address)])
      return held[0] + held[1]
    },
    async execute(payment, asset) {
      const data = encodeTransfer(payment)
      if (data === null) return null
      const token = String(asset).toLowerCase() === OTHER_TOKEN.toLowerCase() ? OTHER_TOKEN : USDC
      return send(EXECUTOR, token, data).catch(() => null)
    },
    async stop() {
      await service.stop()
      await economy.stop()
    },
  }
}

function encodeTransfer(payment: string): Hex | null {
  try {
    const { payload } = JSON.parse(Buffer.from(payment.replace(/^Payment /, ''), 'base64').toString('utf8'))
    // MPP has the authorization in place of the payload.
    const { from, to, value, validAfter, validBefore, nonce } = payload.authorization ?? payload
    return encodeFunctionData({
      abi: usdcAbi,
      functionName: 'transferWithAuthorization',
      args: [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, payload.signature],
    })
  } catch {
    // Only authorizations can move funds.
    return null
  }
}
