import { Challenge, Credential } from 'mppx'
import { Mppx as MppxClient, tempo } from 'mppx/client'
import { createClient, encodeFunctionData, http, maxUint256, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { Transaction } from 'viem/tempo'
import { tempo as tempoChain } from 'viem/tempo/chains'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { PolicyInput } from '../decide/policySchema.ts'
import { isGuardError } from '../errors.ts'
import { createGuard, type Guard } from '../integrations/createGuard.ts'
import { listen, type TestServer } from '../testing/listen.ts'
import { HONEST, THIEF } from '../testing/seller.ts'
import { createMpp } from './createMpp.ts'
import { readTempoPayment } from './tempoTransaction.ts'

const account = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
const TOKEN = '0x20C000000000000000000000b9537d11c60E8b50'
const CHAIN = tempoChain.id
const ESCROW = '0x4d50500000000000000000000000000000000000'
const POLICY: PolicyInput = {
  networks: [`eip155:${CHAIN}`],
  assets: [{ network: `eip155:${CHAIN}`, address: TOKEN, name: 'USDC.e', version: '1', decimals: 6 }],
}

let rpc: TestServer
let asked: string[]
let fee: bigint
let shop: TestServer
let paid: Credential.Credential[]
let terms: () => string
/** Status of the answer to a credential. */
let status: () => number
beforeEach(async () => {
  asked = []
  paid = []
  fee = 20_000_000_000n
  rpc = await listen((request, response) => {
    let text = ''
    request.on('data', (chunk) => (text += chunk))
    request.on('end', () => {
      const { id, method } = JSON.parse(text)
      asked.push(method)
      const result = answers()[method] ?? '0x0'
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    })
  })
  terms = () => charge()
  status = () => 200
  shop = await listen((request, response) => {
    const credential = request.headers.authorization
    if (credential !== undefined) {
      paid.push(Credential.deserialize(credential))
      if (status() !== 200) return void response.writeHead(status(), { 'WWW-Authenticate': terms() }).end()
      const receipt = { method: 'tempo', reference: `0x${'ab'.repeat(32)}`, status: 'success' }
      response.setHeader('Payment-Receipt', Buffer.from(JSON.stringify(receipt)).toString('base64url'))
      return void response.end('sunny')
    }
    response.writeHead(402, { 'WWW-Authenticate': terms() }).end()
  })
})
afterEach(async () => {
  await rpc.stop()
  await shop.stop()
})

/** The answers of a node to a client that prepares a transaction. */
const answers = (): Record<string, unknown> => ({
  eth_chainId: `0x${CHAIN.toString(16)}`,
  eth_estimateGas: '0x30000',
  eth_gasPrice: `0x${fee.toString(16)}`,
  eth_maxPriorityFeePerGas: '0x0',
  eth_getTransactionCount: '0x0',
  eth_getBlockByNumber: {
    baseFeePerGas: `0x${fee.toString(16)}`,
    number: '0x1',
    timestamp: '0x1',
    transactions: [],
  },
})

type Change = {
  request?: Record<string, unknown>
  details?: Record<string, unknown>
  params?: Record<string, unknown>
}
const challengeOf = (intent: string, { request, details, params }: Change = {}) =>
  Challenge.serialize(
    Challenge.from({
      id: 'x1',
      realm: '127.0.0.1',
      method: 'tempo',
      intent,
      expires: new Date(Date.now() + 240_000).toISOString(),
      request: {
        amount: '1000',
        currency: TOKEN,
        recipient: HONEST,
        methodDetails: { chainId: CHAIN, ...details },
        ...request,
      },
      ...params,
    } as never),
  )
const charge = (change?: Change) => challengeOf('charge', change)
const session = (change: Change = {}) =>
  challengeOf('session', {
    ...change,
    request: { suggestedDeposit: '20000', unitType: 'call', ...change.request },
    details: { sessionProtocol: 'v2', escrowContract: ESCROW, ...change.details },
  })

function setUp(
  policy: PolicyInput = {},
  signer?: (guarded: object, guard: Guard) => object,
  mode?: 'push' | 'pull',
) {
  const mpp = createMpp()
  const guard = createGuard({ policy: { ...POLICY, ...policy }, mpp })
  const guarded = guard.account(account)
  const chain = { ...tempoChain, rpcUrls: { default: { http: [rpc.url] } } }
  const getClient = () => createClient({ chain, transport: http(rpc.url) })
  const used = { account: (signer?.(guarded, guard) ?? guarded) as never, getClient: getClient as never }
  const connect = () => {
    const methods = [tempo.charge({ ...used, ...(mode && { mode }) }), tempo.session(used)]
    const fetch = guard.fetch() as typeof globalThis.fetch
    return MppxClient.create({ fetch, methods: methods as never, polyfill: false })
  }
  const client = connect()
  const pay = (path = '/weather', init?: RequestInit) => client.fetch(`${shop.url}${path}`, init)
  const outcome = async (path?: string) =>
    pay(path).then(
      ({ status }) => status,
      (error: unknown) => (isGuardError(error) ? error.code : String(error)),
    )
  return { guard, guarded, connect, pay, outcome, spent: () => guard.ledger.totals().usdMicros }
}

const actions = () => paid.map(({ payload }) => (payload as { action: string }).action)
const payloadAt = (place: number) => (paid[place] as Credential.Credential).payload as Record<string, string>
const transactionOf = ({ payload }: Credential.Credential) => {
  const { signature, transaction } = payload as { signature: `0x76${string}`; transaction?: `0x76${string}` }
  return Transaction.deserialize(transaction ?? signature) as ReturnType<typeof Transaction.deserialize> & {
    calls: { to: string; data: string }[]
    from: string
    validBefore: number
  }
}

describe('charges by the method tempo', () => {
  test('default: the stock client signs the one approved transfer, and the seller gets it', async () => {
    const kit = setUp()
    const response = await kit.pay()
    expect(await response.text()).toBe('sunny')
    expect(paid).toHaveLength(1)
    const { calls, from, validBefore } = transactionOf(paid[0] as Credential.Credential)
    expect(from.toLowerCase()).toBe(account.address.toLowerCase())
    expect(calls).toHaveLength(1)
    expect(calls[0]?.to.toLowerCase()).toBe(TOKEN.toLowerCase())
    expect(calls[0]?.data).toContain(HONEST.slice(2).toLowerCase())
    expect(validBefore).toBeLessThan(Date.now() / 1000 + 30)
    expect(kit.spent()).toBe(1000n)
  })

  test('behavior: a fee payer of the seller is accepted', async () => {
    terms = () => charge({ details: { feePayer: true } })
    const kit = setUp()
    expect(await kit.outcome()).toBe(200)
    expect(kit.spent()).toBe(1000n)
  })

  test('behavior: the ordinary limits hold, and only listed tokens are paid', async () => {
    const limits: [PolicyInput, string][] = [
      [{ maxPerPaymentUsd: '0.0009' }, 'OVER_PAYMENT_LIMIT'],
      [{ networks: ['eip155:8453'] }, 'NETWORK_NOT_ALLOWED'],
      [
        { assets: [{ ...(POLICY.assets?.[0] as never as object), address: HONEST } as never] },
        'ASSET_NOT_ALLOWED',
      ],
      [{ denyReceivers: [HONEST] }, 'RECEIVER_NOT_ALLOWED'],
    ]
    for (const [policy, code] of limits) expect(await setUp(policy).outcome()).toBe(code)
    expect(paid).toEqual([])
  })

  test('error: what is no plain charge in pull mode is refused before anything is signed', async () => {
    const changes: Change[] = [
      { details: { supportedModes: ['push'] } },
      { details: { splits: [{ amount: '1', recipient: THIEF }] } },
      { params: { intent: 'subscription' } },
      { request: { methodDetails: {} } },
    ]
    for (const change of changes) {
      terms = () => charge(change)
      expect(await setUp().outcome()).toBe('PROTOCOL_NOT_SUPPORTED')
    }
    expect(asked).toEqual([])
  })

  test('error: an expired charge is refused as expired, and another kind of charge as before', async () => {
    const expires = new Date(Date.now() - 1_000).toISOString()
    terms = () => charge({ params: { expires } })
    await expect(setUp().pay()).rejects.toMatchObject({
      code: 'CHALLENGE_EXPIRED',
      details: `It ended at ${expires}.`,
      moneyMayHaveLeft: false,
    })
    terms = () => charge({ params: { expires }, details: { supportedModes: ['push'] } })
    expect(await setUp().outcome()).toBe('PROTOCOL_NOT_SUPPORTED')
    terms = () => `${charge({ params: { expires } })}, ${charge()}`
    expect(await setUp().outcome()).toBe(200)
  })

  test('error: the account signs no transaction but the approved transfer', async () => {
    const abi = parseAbi([
      'function transfer(address, uint256)',
      'function approve(address, uint256)',
      'function transferWithMemo(address, uint256, bytes32)',
    ])
    const call = (name: 'transfer' | 'approve', to: string, amount: bigint, target = TOKEN) => ({
      to: target,
      data: encodeFunctionData({ abi, functionName: name, args: [to as never, amount] }),
    })
    const honest = call('transfer', HONEST, 1000n)
    const end = () => Math.floor(Date.now() / 1000)
    const hostile: [string, object][] = [
      ['OFFER_CHANGED', { calls: [call('transfer', THIEF, 1000n)] }],
      ['OFFER_CHANGED', { calls: [call('transfer', HONEST, 1001n)] }],
      ['OFFER_CHANGED', { calls: [call('transfer', HONEST, 1000n, HONEST)] }],
      ['OFFER_CHANGED', { chainId: 1 }],
      ['OFFER_CHANGED', { validBefore: end() + 900 }],
      ['OFFER_CHANGED', { validAfter: end() + 10, validBefore: end() + 20 }],
      ['SIGNING_REFUSED', { validBefore: undefined, nonceKey: 1n }],
      ['SIGNING_REFUSED', { calls: [honest, call('transfer', THIEF, 1n)] }],
      ['SIGNING_REFUSED', { calls: [call('approve', THIEF, maxUint256)] }],
      ['SIGNING_REFUSED', { calls: [{ ...honest, value: 1n }] }],
      ['SIGNING_REFUSED', { calls: [{ ...honest, data: `${honest.data}00` }] }],
      ['SIGNING_REFUSED', { maxFeePerGas: 10n ** 13n }],
      [
        'SIGNING_REFUSED',
        {
          authorizationList: [
            { address: THIEF, chainId: CHAIN, nonce: 0n, signature: { r: 1n, s: 1n, yParity: 0 } },
          ],
        },
      ],
      [
        'SIGNING_REFUSED',
        {
          type: 'eip1559',
          calls: undefined,
          nonceKey: undefined,
          validBefore: undefined,
          validAfter: undefined,
          feeToken: undefined,
          ...honest,
        },
      ],
    ]
    for (const [code, change] of hostile) {
      const kit = setUp({}, (guarded) => ({
        ...guarded,
        signTransaction: (transaction: object) =>
          (guarded as typeof kit.guarded).signTransaction({ ...transaction, ...change }),
      }))
      expect([change, await kit.outcome()]).toEqual([change, code])
    }
    expect(paid).toEqual([])
    const bare = setUp()
    await expect(
      bare.guarded.signTransaction({ calls: [honest], chainId: CHAIN, validBefore: end() + 20 }),
    ).rejects.toMatchObject({
      code: 'NO_INTENT',
    })
    await expect(
      createGuard()
        .account(account)
        .signTransaction({ calls: [honest] }),
    ).rejects.toMatchObject({
      code: 'SIGNING_REFUSED',
    })
  })

  test('error: a transaction of an unguarded signer that pays another is not sent', async () => {
    const kit = setUp({}, () => ({
      ...account,
      signTransaction: (transaction: { calls: { data: string }[] }, options: never) => {
        const calls = transaction.calls.map((one) => ({
          ...one,
          data: one.data.replace(HONEST.slice(2).toLowerCase(), THIEF.slice(2).toLowerCase()),
        }))
        return account.signTransaction({ ...transaction, calls } as never, options)
      },
    }))
    expect(await kit.outcome()).toBe('OFFER_CHANGED')
    expect(paid).toEqual([])
  })

  test('behavior: an approved transaction of an unguarded signer is sent', async () => {
    expect(await setUp({}, () => account).outcome()).toBe(200)
  })
})

describe('proofs of amount 0', () => {
  test('default: a proof for the host that asks is signed and sent, and costs nothing', async () => {
    terms = () => charge({ request: { amount: '0' } })
    const kit = setUp()
    expect(await kit.outcome()).toBe(200)
    expect(paid[0]?.payload).toMatchObject({ type: 'proof' })
    expect(kit.spent()).toBe(0n)
  })

  test('error: a proof for another origin than the host that asks is neither signed nor sent', async () => {
    terms = () => charge({ request: { amount: '0' }, params: { realm: 'bank.example' } })
    expect(await setUp().outcome()).toBe('AMOUNT_INVALID')
    const kit = setUp({}, () => account)
    terms = () => charge({ request: { amount: '0' } })
    const proof = await account.signMessage({ message: 'x' })
    const challenge = Challenge.deserialize(charge({ request: { amount: '0' }, params: { id: 'other' } }))
    const authorization = Credential.serialize(
      Credential.from({ challenge, payload: { type: 'proof', signature: proof } }),
    )
    const sent = kit.guard.fetch()(`${shop.url}/weather`, { headers: { authorization } })
    await expect(sent).rejects.toMatchObject({ code: 'CREDENTIAL_NOT_READ' })
    expect(paid).toEqual([])
  })
})

describe('sessions', () => {
  test('default: the deposit counts in full once, and vouchers within it cost nothing more', async () => {
    terms = () => session()
    const kit = setUp()
    expect(await kit.outcome('/a')).toBe(200)
    expect(kit.spent()).toBe(20_000n)
    for (const path of ['/b', '/c']) expect(await kit.outcome(path)).toBe(200)
    expect(kit.spent()).toBe(20_000n)
    expect(paid.map(({ payload }) => payload)).toMatchObject([
      { action: 'open', cumulativeAmount: '1000' },
      { action: 'voucher', cumulativeAmount: '2000' },
      { action: 'voucher', cumulativeAmount: '3000' },
    ])
  })

  test('behavior: a seller can be paid after a wallet has rejected the opening of a channel', async () => {
    terms = () => session()
    let isAsked = false
    const signTransaction: typeof account.signTransaction = async (...args) => {
      if (isAsked) return account.signTransaction(...args)
      isAsked = true
      throw new Error('rejected')
    }
    const wallet = { ...account, signTransaction }
    const kit = setUp({}, (_, guard) => guard.account(wallet))
    expect(await kit.outcome()).toBe('WALLET_REFUSED')
    expect(await kit.outcome()).toBe(200)
    expect(paid.map(({ payload }) => payload)).toMatchObject([{ action: 'open' }])
  })

  test('behavior: after a deposit is used up, another client opens a channel of its own', async () => {
    terms = () => session({ request: { amount: '9000' } })
    const kit = setUp()
    expect([await kit.outcome('/a'), await kit.outcome('/b')]).toEqual([200, 200])
    expect((await kit.connect().fetch(`${shop.url}/c`)).status).toBe(200)
    expect(kit.spent()).toBe(40_000n)
    expect(actions()).toEqual(['open', 'voucher', 'open'])
  })

  test('behavior: a seller that has refused an opening is paid by another channel', async () => {
    terms = () => session()
    for (const [refusal, outcome] of [
      [402, 'PAYMENT_NOT_ACCEPTED'],
      [404, 404],
    ] as const) {
      paid = []
      const kit = setUp()
      status = () => refusal
      expect(await kit.outcome('/a')).toBe(outcome)
      status = () => 200
      for (const path of ['/b', '/c']) expect(await kit.outcome(path)).toBe(200)
      expect(actions()).toEqual(['open', 'open', 'voucher'])
      expect(kit.spent()).toBe(40_000n)
    }
  })

  test('behavior: after a channel was closed, the next call opens another', async () => {
    terms = () => session()
    const kit = setUp()
    expect(await kit.outcome('/a')).toBe(200)
    const { channelId, signature } = payloadAt(0)
    const payload = { action: 'close', channelId, cumulativeAmount: '1000', signature }
    const challenge = Challenge.deserialize(session())
    const authorization = Credential.serialize(Credential.from({ challenge, payload }))
    const closed = await kit.guard.fetch()(`${shop.url}/a`, { method: 'POST', headers: { authorization } })
    expect(closed.status).toBe(200)
    expect((await kit.connect().fetch(`${shop.url}/b`)).status).toBe(200)
    expect(actions()).toEqual(['open', 'close', 'open'])
    expect(kit.spent()).toBe(40_000n)
  })

  test('behavior: a client that has lost its channel opens another on its second try', async () => {
    terms = () => session()
    const kit = setUp()
    expect(await kit.outcome('/a')).toBe(200)
    const client = kit.connect()
    await expect(client.fetch(`${shop.url}/b`)).rejects.toMatchObject({ code: 'NO_INTENT' })
    for (const path of ['/b', '/c']) expect((await client.fetch(`${shop.url}${path}`)).status).toBe(200)
    expect(await kit.outcome('/d')).toBe(200)
    expect(actions()).toEqual(['open', 'open', 'voucher', 'voucher'])
    expect(kit.spent()).toBe(40_000n)
  })

  test('behavior: a deposit over a limit opens no channel', async () => {
    terms = () => session({ request: { suggestedDeposit: '900000' } })
    expect(await setUp({ maxPerPaymentUsd: '0.50' }).outcome()).toBe('OVER_PAYMENT_LIMIT')
    expect(paid).toEqual([])
  })

  test('error: vouchers above the deposit are not signed, top-ups neither', async () => {
    terms = () => session({ request: { amount: '9000' } })
    const kit = setUp()
    expect(await kit.outcome('/a')).toBe(200)
    expect(await kit.outcome('/b')).toBe(200)
    expect(await kit.outcome('/c')).toBe('SIGNING_REFUSED')
    const { channelId } = payloadAt(0)
    const voucher = (cumulativeAmount: bigint, change: object = {}) => ({
      primaryType: 'Voucher',
      message: { channelId, cumulativeAmount },
      domain: { name: 'TIP20 Channel Reserve', version: '1', chainId: CHAIN, verifyingContract: ESCROW },
      types: {
        Voucher: [
          { name: 'channelId', type: 'bytes32' },
          { name: 'cumulativeAmount', type: 'uint96' },
        ],
      },
      ...change,
    })
    expect(await kit.guarded.signTypedData(voucher(20_000n))).toMatch(/^0x/)
    for (const data of [
      voucher(20_001n),
      voucher(1n, { message: { channelId: `0x${'01'.repeat(32)}`, cumulativeAmount: 1n } }),
      voucher(1n, {
        domain: { name: 'TIP20 Channel Reserve', version: '1', chainId: 1, verifyingContract: ESCROW },
      }),
      voucher(1n, { domain: { ...voucher(1n).domain, salt: '0x' } }),
    ])
      await expect(kit.guarded.signTypedData(data)).rejects.toMatchObject({ code: 'SIGNING_REFUSED' })
    await kit.guard.stop()
    await expect(kit.guarded.signTypedData(voucher(1n))).rejects.toMatchObject({ code: 'STOPPED' })
  })

  test('error: a close above the vouchers that were sent, and a voucher for another origin, do not leave', async () => {
    terms = () => session()
    const kit = setUp()
    expect(await kit.outcome('/a')).toBe(200)
    expect(await kit.outcome('/b')).toBe(200)
    const { channelId, signature } = payloadAt(1)
    const challenge = Challenge.deserialize(session())
    const send = (url: string, action: string, cumulativeAmount: string) => {
      const payload = { action, channelId, cumulativeAmount, signature }
      const authorization = Credential.serialize(Credential.from({ challenge, payload }))
      return kit.guard
        .fetch()(url, { method: 'POST', headers: { authorization } })
        .then(
          ({ status }) => status,
          (error: { code: string }) => error.code,
        )
    }
    expect(await send(`${shop.url}/a`, 'close', '2001')).toBe('CREDENTIAL_NOT_READ')
    expect(await send(`${shop.url}/a`, 'topUp', '1')).toBe('CREDENTIAL_NOT_READ')
    expect(await send(`${rpc.url}/a`, 'voucher', '2000')).toBe('CREDENTIAL_NOT_READ')
    expect(await send(`${shop.url}/a`, 'close', '2000')).toBe(200)
  })

  test('error: a channel of another escrow, or of the older protocol, is refused by name', async () => {
    for (const details of [{ escrowContract: THIEF }, { sessionProtocol: 'v1' }]) {
      terms = () => session({ details })
      expect(await setUp().outcome()).toBe('PROTOCOL_NOT_SUPPORTED')
    }
  })

  test('error: a channel is opened for no charge, and no voucher above the deposit leaves with its opening', async () => {
    const abi = parseAbi(['function open(address, address, address, uint96, bytes32, address)'])
    const zero = `0x${'0'.repeat(40)}` as const
    const open = (deposit: bigint, operator: string = zero, signer: string = account.address) =>
      encodeFunctionData({
        abi,
        functionName: 'open',
        args: [HONEST, operator as never, TOKEN, deposit, `0x${'01'.repeat(32)}`, signer as never],
      })
    const opening = (data: string) => {
      const kit = setUp({}, (guarded) => ({
        ...guarded,
        signTransaction: (transaction: object) =>
          (guarded as typeof kit.guarded).signTransaction({ ...transaction, calls: [{ to: ESCROW, data }] }),
      }))
      return kit.outcome()
    }
    expect(await opening(open(1000n))).toBe('OFFER_CHANGED')
    terms = () => session()
    for (const data of [open(20_001n), open(20_000n, THIEF), open(20_000n, zero, THIEF)])
      expect(await opening(data)).toBe('OFFER_CHANGED')
    const kit = setUp({}, () => account)
    let change: object = { cumulativeAmount: '20001' }
    const greedy = (input: RequestInfo | URL, init?: RequestInit) => {
      const headers = new Headers(init?.headers)
      const credential = headers.get('authorization')
      if (credential === null) return kit.guard.fetch()(input, init)
      const { challenge, payload, source } = Credential.deserialize(credential)
      const more = { ...(payload as object), ...change }
      const changed = Credential.from({ challenge, payload: more, ...(source && { source }) })
      headers.set('authorization', Credential.serialize(changed))
      return kit.guard.fetch()(input, { ...init, headers })
    }
    const chain = { ...tempoChain, rpcUrls: { default: { http: [rpc.url] } } }
    const getClient = () => createClient({ chain, transport: http(rpc.url) })
    const methods = [tempo.session({ account, getClient: getClient as never })]
    const client = MppxClient.create({
      fetch: greedy as typeof fetch,
      methods: methods as never,
      polyfill: false,
    })
    const refused = { code: 'CREDENTIAL_NOT_READ' }
    await expect(client.fetch(`${shop.url}/weather`)).rejects.toMatchObject(refused)
    change = { channelId: `0x${'02'.repeat(32)}` }
    await expect(client.fetch(`${shop.url}/other`)).rejects.toMatchObject(refused)
    expect(paid).toEqual([])
  })
})

describe('readTempoPayment', () => {
  const { z_TxEnvelopeTempo: Envelope } = Transaction
  const transfer = encodeFunctionData({
    abi: parseAbi(['function transfer(address, uint256)']),
    functionName: 'transfer',
    args: [HONEST, 1000n],
  })
  const plain = {
    type: 'tempo',
    chainId: CHAIN,
    calls: [{ to: TOKEN, data: transfer }],
    nonce: 0n,
    nonceKey: maxUint256,
    gas: 200_000n,
    maxFeePerGas: 20_000_000_000n,
    validBefore: 2_000_000_000,
  }
  const read = (change: object = {}) =>
    readTempoPayment(Envelope.serialize({ ...plain, ...change } as never), account.address)
  const signature = { type: 'secp256k1', signature: { r: 1n, s: 1n, yParity: 0 } }

  test('default: reads a transfer of a token', () => {
    expect(read()?.authorization).toMatchObject({
      from: account.address,
      value: 1000n,
      tempo: { chainId: CHAIN },
    })
  })

  test('error: refuses a transaction that grants a key, delegates the account, or costs more than the highest fee', () => {
    const authorizationList = [{ address: THIEF, chainId: CHAIN, nonce: 0n, signature }]
    const keyAuthorization = { address: THIEF, chainId: BigInt(CHAIN), type: 'secp256k1', signature }
    for (const change of [
      { authorizationList },
      { keyAuthorization },
      { maxFeePerGas: 300_000_000_000n },
      { validBefore: undefined },
    ]) {
      expect(() => Envelope.serialize({ ...plain, ...change } as never)).not.toThrow()
      expect([change, read(change)]).toEqual([change, undefined])
    }
    expect(read({ maxFeePerGas: 250_000_000_000n })).toBeDefined()
  })

  test('error: texts that are no transaction are nothing', () => {
    for (const text of ['', '0x76', '0x7600', '0x02c0', `0x76${'c0'.repeat(9000)}`, null, 7])
      expect(readTempoPayment(text, account.address)).toBeUndefined()
  })
})
