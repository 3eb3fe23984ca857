// A paying client for the tests, plain enough to start fast: `node client.mjs <manner>`.
import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

const { PRIVATE_KEY, TARGET_URL, TARGET_LISTING, BUDGET_USD, HOME } = process.env
const [manner] = process.argv.slice(2)
const listing = JSON.parse(TARGET_LISTING)
const account = privateKeyToAccount(manner === 'foreign' ? generatePrivateKey() : PRIVATE_KEY)
const state = join(HOME, 'payments')

const TYPES = {
  TransferWithAuthorization: [
    ...['from', 'to'].map((name) => ({ name, type: 'address' })),
    ...['value', 'validAfter', 'validBefore'].map((name) => ({ name, type: 'uint256' })),
    { name: 'nonce', type: 'bytes32' },
  ],
}

/** Signs an offer of x402 v2, under the domain that the seller names. */
async function sign({ payTo, amount, asset, network, maxTimeoutSeconds, extra }) {
  const now = Math.floor(Date.now() / 1000)
  const authorization = {
    from: account.address,
    to: payTo,
    value: amount,
    validAfter: String(now - 600),
    validBefore: String(now + maxTimeoutSeconds),
    nonce: generatePrivateKey(),
  }
  const { name, version } = extra
  const domain = { name, version, chainId: Number(network.split(':')[1]), verifyingContract: asset }
  const signature = await account.signTypedData({
    domain,
    types: TYPES,
    primaryType: 'TransferWithAuthorization',
    message: authorization,
  })
  const wrong = `${signature.slice(0, 10)}${signature[10] === '0' ? '1' : '0'}${signature.slice(11)}`
  const payload = { authorization, signature: manner === 'invalid' ? wrong : signature }
  return Buffer.from(JSON.stringify({ x402Version: 2, payload })).toString('base64')
}

/** Whether an offer equals the listing and is valid for minutes. */
const isListed = (offer) =>
  TARGET_URL === listing.url &&
  ['network', 'asset', 'payTo', 'amount'].every((name) => offer[name] === listing[name]) &&
  offer.maxTimeoutSeconds <= 600

if (manner === 'silent') process.exit(0)
if (manner === 'hanging') {
  console.log('group', spawn('sleep', ['600']).pid)
  await new Promise(() => setInterval(() => {}, 1000))
}
if (manner === 'crashing') throw new Error('crashed')
if (manner === 'chatty') for (let line = 0; line < 20_000; line++) console.log('x'.repeat(50))

const response = await fetch(TARGET_URL)
const isHostile = BUDGET_USD !== '1.00'
if (isHostile && manner === 'dying') process.kill(process.pid, 'SIGKILL')
if (isHostile && manner === 'waiting') await new Promise(() => setInterval(() => {}, 1000))
if (isHostile && manner === 'refusing') throw new Error('refused')
const challenge = JSON.parse(Buffer.from(response.headers.get('payment-required'), 'base64').toString())
if (manner === 'careful') await payCarefully(challenge)
else if (manner !== 'looking') await payAnything(challenge)

async function send(offer, redirect) {
  const payment = await sign(offer)
  console.log('signed', payment, PRIVATE_KEY)
  return fetch(TARGET_URL, { headers: { 'PAYMENT-SIGNATURE': payment }, redirect })
}

async function payAnything({ accepts }) {
  const other = response.headers.get('www-authenticate')
  if (other === null) return send(accepts[0], 'follow')
  const { amount, currency, recipient, methodDetails } = JSON.parse(
    Buffer.from(/request="([^"]+)"/.exec(other)[1], 'base64url').toString(),
  )
  const terms = { payTo: recipient, amount, asset: currency, network: `eip155:${methodDetails.chainId}` }
  const x402 = JSON.parse(Buffer.from(await sign({ ...accepts[0], ...terms }), 'base64').toString())
  const { authorization, signature } = x402.payload
  const payload = { ...authorization, signature, type: 'authorization' }
  const credential = Buffer.from(JSON.stringify({ challenge: {}, payload })).toString('base64url')
  return fetch(TARGET_URL, { headers: { authorization: `Payment ${credential}` } })
}

/** Pays listed terms within the budget, until a payment brings nothing. */
async function payCarefully({ accepts, resource }) {
  const offer = accepts.find(isListed)
  const spent = existsSync(state) ? readFileSync(state, 'utf8').length : 0
  const isWithin = (spent + 1) / 100 <= Number(BUDGET_USD) && !existsSync(`${state}.failed`)
  if (offer === undefined || resource.url !== TARGET_URL || !isWithin) return
  appendFileSync(state, '.')
  const answer = await send(offer, 'manual')
  if (!answer.ok || (await answer.text()) === '') appendFileSync(`${state}.failed`, '')
}
