// Pays TARGET_URL by one client: `node main.js <library> [<integration of the guard>]`.
import { privateKeyToAccount } from 'viem/accounts'
import { openAxios, openMppx, openV1, openV2 } from './stock.ts'

const { PRIVATE_KEY, TARGET_URL = '' } = process.env
const [library = '', integration] = process.argv.slice(2)
const account = privateKeyToAccount(PRIVATE_KEY as `0x${string}`)
const STOCK: Readonly<Record<string, () => ReturnType<typeof openV1>>> = {
  'x402-fetch': () => openV1(fetch, account),
  '@x402/fetch': () => openV2(fetch, account),
  '@x402/axios': () => openAxios((api) => api, account),
  mppx: () => openMppx(fetch, account),
}
// Loaded only then, so that a stock client runs without a line of the guard.
const open =
  integration === undefined
    ? STOCK[library]
    : (await import('./guarded.ts')).findGuarded(`${library} ${integration}`, account)
if (open === undefined) throw new Error(`no client ${library} ${integration}`)
const pay = await open()
const response = await pay(TARGET_URL)
console.log(response.status, await response.text())
