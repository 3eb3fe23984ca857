import {
  type Address,
  createWalletClient,
  getAddress,
  type Hex,
  http,
  keccak256,
  parseSignature,
  toHex,
} from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WALLET_INDEX, walletAt } from '../wallets.ts'
import { baseChain } from './baseChain.ts'
import { type Chain, startChain } from './startChain.ts'
import { USDC, usdcAbi } from './usdc.ts'

const payer = walletAt(4)
const stranger = walletAt(5)
const relayer = walletAt(WALLET_INDEX.facilitator)
const receiver = walletAt(300).address
const types = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

let chain: Chain
let nonces = 0
beforeAll(async () => {
  chain = await startChain({
    receivers: [],
    funded: [{ address: payer.address, amountAtomic: 1_000_000n }],
    historyBlocks: 90,
  })
})
afterAll(() => chain.stop())

type Authorization = {
  from: Address
  to: Address
  value: bigint
  validAfter: bigint
  validBefore: bigint
  nonce: Hex
}

function authorization(changes: Partial<Authorization> = {}): Authorization {
  nonces += 1
  const nowS = BigInt(Math.floor(Date.now() / 1000))
  return {
    from: payer.address,
    to: receiver,
    value: 1_000n,
    validAfter: nowS - 600n,
    validBefore: nowS + 60n,
    nonce: keccak256(toHex(`nonce ${nonces}`)),
    ...changes,
  }
}

function sign(message: Authorization, signer: PrivateKeyAccount = payer): Promise<Hex> {
  const domain = { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: USDC }
  return signer.signTypedData({ domain, types, primaryType: 'TransferWithAuthorization', message })
}

const relay = () => createWalletClient({ account: relayer, chain: baseChain, transport: http(chain.rpcUrl) })

async function submit(message: Authorization, signature: Hex): Promise<void> {
  const { from, to, value, validAfter, validBefore, nonce } = message
  const hash = await relay().writeContract({
    address: USDC,
    abi: usdcAbi,
    functionName: 'transferWithAuthorization',
    args: [from, to, value, validAfter, validBefore, nonce, signature],
  })
  await mined(hash)
}

/** Waits for a transaction, as anvil responds before it mines. */
async function mined(hash: Hex): Promise<void> {
  const { status } = await chain.publicClient.waitForTransactionReceipt({ hash })
  expect(status).toBe('success')
}

describe('transferWithAuthorization', () => {
  test('default: moves exactly the value, marks the nonce as used, and emits both events', async () => {
    const message = authorization()
    const before = await chain.usdcBalanceOf(payer.address)
    await submit(message, await sign(message))
    expect(await chain.usdcBalanceOf(receiver)).toBe(1_000n)
    expect(await chain.usdcBalanceOf(payer.address)).toBe(before - 1_000n)
    const used = await chain.publicClient.readContract({
      address: USDC,
      abi: usdcAbi,
      functionName: 'authorizationState',
      args: [payer.address, message.nonce],
    })
    expect(used).toBe(true)
    const logs = await chain.publicClient.getContractEvents({
      address: USDC,
      abi: usdcAbi,
      fromBlock: 'latest',
    })
    expect(logs.map((log) => log.eventName)).toEqual(['AuthorizationUsed', 'Transfer'])
    expect(logs[0]?.args).toEqual({ authorizer: payer.address, nonce: message.nonce })
    expect(logs[1]?.args).toEqual({ from: payer.address, to: receiver, value: 1_000n })
  })

  test('behavior: accepts a signature as v, r and s', async () => {
    const { from, to, value, validAfter, validBefore, nonce } = authorization()
    const { r, s, yParity } = parseSignature(await sign({ from, to, value, validAfter, validBefore, nonce }))
    const before = await chain.usdcBalanceOf(receiver)
    const hash = await relay().writeContract({
      address: USDC,
      abi: usdcAbi,
      functionName: 'transferWithAuthorization',
      args: [from, to, value, validAfter, validBefore, nonce, 27 + yParity, r, s],
    })
    await mined(hash)
    expect(await chain.usdcBalanceOf(receiver)).toBe(before + 1_000n)
  })

  test('behavior: accepts an ERC-1271 signature of a contract wallet', async () => {
    const wallet = getAddress('0x00000000000000000000000000000000000c0de1')
    // Code that returns isValidSignature's magic value for every call.
    await rpc('anvil_setCode', [wallet, '0x631626ba7e60e01b60005260206000f3'])
    await chain.mintUsdc(wallet, 5_000n)
    await submit(authorization({ from: wallet }), '0x1234')
    expect(await chain.usdcBalanceOf(wallet)).toBe(4_000n)
  })

  test('error: refuses a used nonce', async () => {
    const message = authorization()
    const signature = await sign(message)
    await submit(message, signature)
    await expect(submit(message, signature)).rejects.toThrow('authorization is used or canceled')
  })

  test('error: refuses an authorization that expired or is not yet valid', async () => {
    const nowS = BigInt(Math.floor(Date.now() / 1000))
    const late = authorization({ validBefore: nowS - 1n })
    await expect(submit(late, await sign(late))).rejects.toThrow('authorization is expired')
    const early = authorization({ validAfter: nowS + 3_600n, validBefore: nowS + 7_200n })
    await expect(submit(early, await sign(early))).rejects.toThrow('authorization is not yet valid')
  })

  test('error: refuses the signature of another account or of another value', async () => {
    const message = authorization()
    await expect(submit(message, await sign(message, stranger))).rejects.toThrow('invalid signature')
    await expect(submit({ ...message, value: 2_000n }, await sign(message))).rejects.toThrow(
      'invalid signature',
    )
  })

  test('error: refuses more than the balance of the payer', async () => {
    const message = authorization({ value: 10n ** 12n })
    await expect(submit(message, await sign(message))).rejects.toThrow('transfer amount exceeds balance')
  })

  test('error: refuses a canceled authorization', async () => {
    const message = authorization()
    const cancel = { authorizer: payer.address, nonce: message.nonce }
    const signature = await payer.signTypedData({
      domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: USDC },
      types: {
        CancelAuthorization: [
          { name: 'authorizer', type: 'address' },
          { name: 'nonce', type: 'bytes32' },
        ],
      },
      primaryType: 'CancelAuthorization',
      message: cancel,
    })
    const { r, s, yParity } = parseSignature(signature)
    const hash = await relay().writeContract({
      address: USDC,
      abi: usdcAbi,
      functionName: 'cancelAuthorization',
      args: [cancel.authorizer, cancel.nonce, 27 + yParity, r, s],
    })
    await mined(hash)
    await expect(submit(message, await sign(message))).rejects.toThrow('authorization is used or canceled')
  })
})

test('error: refuses to mint for anyone but the minter', async () => {
  const mint = relay().writeContract({
    address: USDC,
    abi: usdcAbi,
    functionName: 'mint',
    args: [relayer.address, 1n],
  })
  await expect(mint).rejects.toThrow('caller is not a minter')
})

async function rpc(method: string, params: unknown[]): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(chain.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  expect(await response.json()).not.toHaveProperty('error')
}
