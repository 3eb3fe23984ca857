import { BASE, BASE_USDC, encodeBase64Json, TRANSFER_WITH_AUTHORIZATION } from '@touchstone402/shared'
import { type Address, type Hex, zeroAddress } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { readPayment, type SentPayment, type SentVoucher } from './readPayment.ts'
import { EURC, POLYGON_USDC, TEMPO_USDC } from './tokens.ts'
import { TEMPO_ESCROW, verifyPayment, verifyVoucher } from './verifyPayment.ts'

const account = privateKeyToAccount(generatePrivateKey())
const USDC = { network: BASE, asset: BASE_USDC }
const AT_MS = 1_772_000_000_000
const where = { at: 'target', receivedAt: AT_MS } as const
const TYPES = TRANSFER_WITH_AUTHORIZATION

type Message = Omit<SentPayment, 'signature'>
type Domain = { name: string; chainId: number; verifyingContract: Address }
const DOMAIN: Domain = { name: 'USD Coin', chainId: 8453, verifyingContract: BASE_USDC as Address }

async function sign(change: Partial<Message> = {}, domain: Partial<Domain> = {}): Promise<SentPayment> {
  const message: Message = {
    from: account.address,
    to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    value: 10_000n,
    validAfter: 0n,
    validBefore: BigInt(AT_MS / 1000 + 60),
    nonce: `0x${'ab'.repeat(32)}`,
    ...change,
  }
  const signature = await account.signTypedData({
    domain: { ...DOMAIN, version: '2', ...domain },
    types: TYPES,
    primaryType: 'TransferWithAuthorization',
    message,
  })
  return { ...message, signature }
}
const verify = (sent: SentPayment, asked = [USDC]) => verifyPayment(sent, account.address, asked, where)

describe('verifyPayment', () => {
  test('default: returns what the token would move, without the signature', async () => {
    const payment = await verify(await sign())
    expect(payment).toMatchObject({ ...USDC, amount: 10_000n, at: 'target', receivedAt: AT_MS })
    expect(Object.keys(payment ?? {})).not.toContain('signature')
  })

  test('behavior: finds the token by the signature', async () => {
    const asked = [USDC, EURC, POLYGON_USDC]
    const euro = await sign({}, { name: 'EURC', verifyingContract: EURC.asset })
    expect(await verify(euro, asked)).toMatchObject(EURC)
    const polygon = await sign({}, { chainId: 137, verifyingContract: POLYGON_USDC.asset })
    expect(await verify(polygon, asked)).toMatchObject(POLYGON_USDC)
  })

  test.each<[string, Partial<Message>, Partial<Domain>]>([
    ['no amount', { value: 0n }, {}],
    ['expired', { validBefore: BigInt(AT_MS / 1000) }, {}],
    ['the domain that a seller made up', {}, { name: 'Permit2' }],
    ['a test network', {}, { chainId: 84_532 }],
  ])('behavior: %s moves nothing', async (_, change, domain) => {
    expect(await verify(await sign(change, domain))).toBeNull()
  })

  test('behavior: a changed field breaks the signature', async () => {
    expect(await verify({ ...(await sign()), value: 10_001n })).toBeNull()
    expect(await verify({ ...(await sign()), to: zeroAddress })).toBeNull()
    const signature: Hex = `0x${'00'.repeat(65)}`
    expect(await verify({ ...(await sign()), signature })).toBeNull()
  })
})

describe('verifyVoucher', () => {
  const CHANNEL: Hex = `0x${'cd'.repeat(32)}`
  const PAY_TO: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  const signVoucher = async (cumulativeAmount: bigint, chainId = 4217) => ({
    channelId: CHANNEL,
    cumulativeAmount,
    signature: await account.signTypedData({
      domain: { name: 'TIP20 Channel Reserve', version: '1', chainId, verifyingContract: TEMPO_ESCROW },
      types: {
        Voucher: [
          { name: 'channelId', type: 'bytes32' },
          { name: 'cumulativeAmount', type: 'uint96' },
        ],
      },
      primaryType: 'Voucher',
      message: { channelId: CHANNEL, cumulativeAmount },
    }),
  })
  const verifySent = (sent: SentVoucher, payer = account.address) =>
    verifyVoucher(sent, { payer, payTo: PAY_TO, ...where })

  test('default: a voucher stands for its whole amount in the token of the session', async () => {
    const expected = { ...TEMPO_USDC, amount: 900_000n, nonce: CHANNEL, payTo: PAY_TO }
    expect(await verifySent(await signVoucher(900_000n))).toMatchObject(expected)
  })

  test('error: another amount, chain or payer moves nothing', async () => {
    expect(await verifySent({ ...(await signVoucher(1n)), cumulativeAmount: 2n })).toBeNull()
    expect(await verifySent(await signVoucher(1n, 1))).toBeNull()
    expect(await verifySent(await signVoucher(1n), zeroAddress)).toBeNull()
  })

  test('behavior: reads a voucher of a credential, with its payer and what it asks for', async () => {
    const { cumulativeAmount, ...voucher } = await signVoucher(5n)
    const fields = { action: 'voucher', descriptor: { payer: account.address }, cumulativeAmount: '5' }
    const encode = (payload: object) =>
      `Payment ${Buffer.from(JSON.stringify({ challenge: {}, payload })).toString('base64url')}`
    expect(readPayment(encode({ ...voucher, ...fields }))).toEqual({
      payer: account.address,
      sent: null,
      voucher: { ...voucher, cumulativeAmount },
      session: { action: 'voucher', channelId: CHANNEL },
    })
    const topUp = { action: 'topUp', channelId: CHANNEL, cumulativeAmount: '-1' }
    expect(readPayment(encode(topUp))).toMatchObject({ voucher: null, session: { action: 'topUp' } })
  })
})

describe('readPayment', () => {
  const encode = (payload: unknown) => encodeBase64Json({ x402Version: 2, payload })
  const toWire = ({ signature, ...message }: SentPayment) => ({
    signature,
    authorization: Object.fromEntries(Object.entries(message).map(([name, value]) => [name, String(value)])),
  })

  test('default: reads an authorization', async () => {
    const sent = await sign()
    expect(readPayment(encode(toWire(sent)))).toMatchObject({ payer: account.address, sent })
  })

  test('behavior: names the payer of a payment that it cannot read', () => {
    const permit = { permit2Authorization: { from: zeroAddress }, signature: '0x' }
    expect(readPayment(encode(permit))).toMatchObject({ payer: zeroAddress, sent: null })
    expect(readPayment(encode({ authorization: { from: zeroAddress, value: 'all' } }))).toMatchObject({
      payer: zeroAddress,
      sent: null,
    })
    expect(readPayment(encode({ transaction: 'AQ==' }))).toMatchObject({ payer: null, sent: null })
  })

  test.each(['', 'hello', '{}', encodeBase64Json({}), encodeBase64Json([]), 'A'.repeat(20_000)])(
    'error: refuses what is no payment: %s',
    (header) => {
      expect(readPayment(header)).toBeNull()
    },
  )
})
