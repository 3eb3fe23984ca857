import { parseArgs } from 'node:util'
import { isGuardError } from '../../errors.ts'
import { createMemoryLedger } from '../../ledger/memoryLedger.ts'
import { readBody } from '../../readBody.ts'
import { createFileLedger } from '../fileLedger.ts'
import { readEndpoint } from './check.ts'
import { EXIT, type Io, UsageError } from './io.ts'
import { readKey, readPolicy, readService } from './options.ts'

const MAX_BYTES = 1024 * 1024
const TIMEOUT_MS = 600_000

/** `touchstone pay <url>`: makes one guarded call and prints the response. */
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
  const url = readEndpoint('pay', positionals).given
  const policy = await readPolicy(values.policy)
  const { account, createGuardedFetch } = await loadWallet(io)
  const file = values.ledger === undefined ? null : await createFileLedger(values.ledger)
  const ledger = file ?? createMemoryLedger()
  try {
    const service = readService(io, values.service)
    const send = createGuardedFetch({ account, policy, ledger, service, fetch: io.fetch })
    const { method, data } = values
    const response = await send(url, { method, ...(data === undefined ? {} : { body: data }) })
    const body = await readBody(response, MAX_BYTES, TIMEOUT_MS, { truncate: true })
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

/** Loads the optional peers that paying needs, and the wallet's account. */
export async function loadWallet(io: Io) {
  const [{ privateKeyToAccount }, { createGuardedFetch }] = await Promise.all([
    import('viem/accounts'),
    import('../../seats/createGuardedFetch.ts'),
  ]).catch((cause) => {
    throw new UsageError('Paying needs viem, @x402/fetch and @x402/evm; install them with npm.', { cause })
  })
  return { account: privateKeyToAccount(await readKey(io)), createGuardedFetch }
}
