import { parseArgs } from 'node:util'
import { isGuardError } from '../../errors.ts'
import { createMemoryLedger } from '../../ledger/memoryLedger.ts'
import { createFileLedger } from '../fileLedger.ts'
import { readUrl } from './check.ts'
import { EXIT, type Io, UsageError } from './io.ts'
import { readKey, readPolicy, readService } from './options.ts'

const MAX_BYTES = 1024 * 1024

/** `touchstone pay <url>`: one guarded call; the answer goes to standard output. */
export async function pay(args: string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      json: { type: 'boolean' },
      service: { type: 'string' },
      policy: { type: 'string' },
      ledger: { type: 'string' },
      method: { type: 'string', default: 'GET' },
      data: { type: 'string' },
    },
  })
  const [url] = positionals
  if (url === undefined || positionals.length > 1) throw new UsageError('Give one URL: touchstone pay <url>')
  readUrl(url)
  const policy = await readPolicy(values.policy)
  const account = (await loadPeers()).privateKeyToAccount(await readKey(io))
  const { createGuardedFetch } = await import('../../seats/createGuardedFetch.ts')
  const file = values.ledger === undefined ? null : await createFileLedger(values.ledger)
  const ledger = file ?? createMemoryLedger()
  try {
    const service = readService(io, values.service)
    const send = createGuardedFetch({ account, policy, ledger, service, fetch: io.fetch })
    const { method, data } = values
    const response = await send(url, { method, ...(data === undefined ? {} : { body: data }) })
    const body = (await response.text()).slice(0, MAX_BYTES)
    const { usdMicros } = ledger.totals()
    const spent = { status: response.status, spentUsdMicros: usdMicros.toString() }
    io.out(values.json ? JSON.stringify({ ...spent, body }) : body)
    return response.ok ? EXIT.ok : EXIT.refused
  } catch (error) {
    if (!isGuardError(error)) throw error
    if (values.json)
      io.out(JSON.stringify({ refused: error.code, reason: error.shortMessage, intent: error.intent }))
    else io.err(`Refused (${error.code}): ${error.message}`)
    return EXIT.refused
  } finally {
    await file?.close()
  }
}

/** Loads what paying needs and the package does not install. */
export async function loadPeers() {
  try {
    await import('@x402/fetch')
    await import('@x402/evm/exact/client')
    return await import('viem/accounts')
  } catch (cause) {
    throw new UsageError(
      'Paying needs viem, @x402/fetch and @x402/evm beside this package: npm install them.',
      { cause },
    )
  }
}
