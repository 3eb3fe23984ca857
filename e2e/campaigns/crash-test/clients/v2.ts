import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'

// The stock v2 client with its own limits, as its documentation uses it.
const { PRIVATE_KEY, TARGET_URL = '' } = process.env
const signer = privateKeyToAccount(PRIVATE_KEY as `0x${string}`)
const pay = wrapFetchWithPayment(fetch, registerExactEvmScheme(new x402Client(), { signer }))
const response = await pay(TARGET_URL)
console.log(response.status, await response.text())
