import { evm, Mppx } from 'mppx/client'
import { assets } from 'mppx/evm'
import { privateKeyToAccount } from 'viem/accounts'

// The stock MPP client, which pays x402 too, as its documentation uses it.
const { PRIVATE_KEY, TARGET_URL = '' } = process.env
const account = privateKeyToAccount(PRIVATE_KEY as `0x${string}`)
const methods = [evm.charge({ account, currencies: [assets.base.USDC] })]
const { fetch: pay } = Mppx.create({ methods, polyfill: false })
const response = await pay(TARGET_URL)
console.log(response.status, await response.text())
