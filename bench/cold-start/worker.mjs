// Makes the first paid call of a program, and prints the processor time of its whole process in ms.
// Usage: `worker.mjs stock|guarded|native <url>`. Plain JavaScript, so that no loader is measured.
import { privateKeyToAccount } from 'viem/accounts'

const [kind, url] = process.argv.slice(2)
const account = privateKeyToAccount(`0x${'07'.repeat(32)}`)
const pay = kind === 'stock' ? await openStock() : await openGuarded()
const importedMs = readCpuMs()
const response = await pay(url)
if (response.status !== 200 || (await response.text()) === '') throw new Error(`not paid: ${response.status}`)
// What is left to do after the answer counts too.
process.once('exit', () => process.stdout.write(JSON.stringify({ importedMs, paidMs: readCpuMs() })))

async function openGuarded() {
  // The documented installation is without the optional `secp256k1`, which the guard loads by node:module.
  const { getBuiltinModule } = process
  if (kind === 'guarded')
    process.getBuiltinModule = (name) => (name === 'node:module' ? undefined : getBuiltinModule(name))
  const { createGuardedFetch } = await import('@touchstone402/guard/fetch')
  return createGuardedFetch({ account })
}

async function openStock() {
  const { wrapFetchWithPayment, x402Client } = await import('@x402/fetch')
  const { registerExactEvmScheme } = await import('@x402/evm/exact/client')
  return wrapFetchWithPayment(fetch, registerExactEvmScheme(new x402Client(), { signer: account }))
}

function readCpuMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
