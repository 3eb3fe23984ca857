import { createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { wrapFetchWithPayment } from 'x402-fetch'

// The stock v1 client with its own limits, as its documentation uses it.
const { PRIVATE_KEY, TARGET_URL = '' } = process.env
const account = privateKeyToAccount(PRIVATE_KEY as `0x${string}`)
const wallet = createWalletClient({ account, chain: base, transport: http('http://127.0.0.1:9') })
// Its types are for another version of viem.
const pay = wrapFetchWithPayment(fetch, wallet as never)
const response = await pay(TARGET_URL)
console.log(response.status, await response.text())
