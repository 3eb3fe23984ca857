import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test, vi } from 'vitest'
import type { Approval } from '../paying/approvals.ts'
import { EXACT, writeAuthorization } from '../paying/exactScheme.ts'
import type { GuardContext } from '../paying/guardContext.ts'
import type { Authorization } from '../paying/signatures/authorization.ts'
import { doubtSignature } from '../paying/signatures/doubtSignature.ts'
import { HONEST, THIEF } from '../testing/seller.ts'
import { USDC } from '../testing/service.ts'
import { createWalletVerifier, type WalletClient } from './createWalletVerifier.ts'

// The verification itself is tested with real contracts in e2e/contractWallets.test.ts.
const account = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
const domain = { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: USDC }
const authorization: Authorization = {
  from: THIEF,
  to: HONEST,
  value: 10_000n,
  validAfter: 0n,
  validBefore: 60n,
  nonce: `0x${'01'.repeat(32)}`,
}

function clientOf(change: Partial<WalletClient> = {}): WalletClient {
  return { getChainId: async () => 8453, verifyTypedData: async () => true, ...change }
}

async function doubt(client: WalletClient | null, from = THIEF, network = 'eip155:8453') {
  const verifySignature =
    client === null ? null : createWalletVerifier({ clients: { 'eip155:8453': client } })
  const message = { ...authorization, from }
  const signature = await account.signTypedData(writeAuthorization(domain, message) as never)
  const open = { domain, intent: { network } } as Approval
  const payment = { scheme: EXACT, network, asset: USDC, authorization: message, signature }
  return doubtSignature({ verifySignature } as GuardContext, open, payment)
}

describe('createWalletVerifier', () => {
  test('default: asks the client about the payer that the payment names', async () => {
    const asked: unknown[] = []
    const client = clientOf({
      async verifyTypedData(parameters: unknown) {
        asked.push(parameters)
        return true
      },
    })
    expect(await doubt(client)).toBeNull()
    expect(asked).toMatchObject([
      { address: THIEF, domain, primaryType: 'TransferWithAuthorization', message: authorization },
    ])
  })

  test('behavior: asks no client about a signature that recovers to the payer', async () => {
    const client = clientOf({ verifyTypedData: () => Promise.reject(new Error('not needed')) })
    expect(await doubt(client, account.address)).toBeNull()
  })

  test('behavior: asks for the chain of a client once', async () => {
    let asked = 0
    const client = clientOf({
      async getChainId() {
        asked += 1
        return 8453
      },
    })
    const verify = createWalletVerifier({ clients: { 'eip155:8453': client } })
    const request = { network: 'eip155:8453', from: THIEF, digest: '0x', signature: '0x' } as const
    const typedData = writeAuthorization(domain, authorization)
    for (let time = 0; time < 3; time++) await verify({ ...request, typedData } as never)
    expect(asked).toBe(1)
  })

  test.each<[string, Partial<WalletClient>]>([
    ['says no', { verifyTypedData: async () => false }],
    ['answers something else than true', { verifyTypedData: async () => 'yes' as never }],
    ['is not reachable', { verifyTypedData: () => Promise.reject(new Error('fetch failed')) }],
    ['is of another chain', { getChainId: async () => 1 }],
  ])('error: doubts a signature if the client %s', async (_, change) => {
    expect(await doubt(clientOf(change))).toMatchObject({
      details: expect.stringContaining('verifySignature'),
    })
  })

  test('error: doubts a signature without a client of its network', async () => {
    expect(await doubt(clientOf(), THIEF, 'eip155:1')).toMatchObject({
      cause: new Error('clients has no client of eip155:1'),
    })
  })

  test('error: names the option if there is no verifier', async () => {
    expect(await doubt(null)).toMatchObject({ details: expect.stringContaining('option verifySignature') })
  })

  test('error: doubts a signature that is not verified within ten seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const pending = doubt(clientOf({ verifyTypedData: () => new Promise(() => {}) }))
      await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1), { interval: 1, timeout: 60_000 })
      vi.advanceTimersByTime(10_000)
      expect(await pending).toMatchObject({ cause: new Error('No answer within 10 seconds.') })
    } finally {
      vi.useRealTimers()
    }
  })

  test.each<[string, Record<string, unknown>, string]>([
    [
      'a network name',
      { base: clientOf() },
      'clients: expected CAIP-2 ids such as "eip155:8453", not "base"',
    ],
    ['no client', { 'eip155:8453': {} }, 'clients.eip155:8453: expected a viem public client'],
  ])('error: refuses %s', (_, clients, details) => {
    expect(() => createWalletVerifier({ clients: clients as never })).toThrow(details)
  })
})
