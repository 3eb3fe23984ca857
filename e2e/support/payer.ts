// A paying process, which may be killed. It logs each signature before it returns it to the guard, reports when it is
// ready, and pays on command: a number of concurrent calls, or calls in sequence without end.
import dns from 'node:dns'
import { appendFileSync } from 'node:fs'
import type { LookupFunction } from 'node:net'
import { createGuard, findGuardError, type PolicyInput } from '@touchstone402/guard'
import { createFileLedger } from '@touchstone402/guard/ledger'
import { createPostgresLedger } from '@touchstone402/guard/postgres'
import type { Hex } from 'viem'
import { INTEGRATIONS, type IntegrationName } from './integrations.ts'
import { createRecordingWallet } from './stockClients.ts'

/** Settings of a paying process. */
export type PayerSettings = {
  readonly key: Hex
  readonly service: { readonly url: string; readonly jwksThumbprint?: string; readonly timeoutMs?: number }
  readonly endpoint: string
  readonly integration: IntegrationName
  /** A file, or a name in a database; processes may share both. @default a ledger in memory */
  readonly ledger?: { readonly file: string } | { readonly database: string; readonly name: string }
  /** File that gets the nonce of each signature. @default none */
  readonly signatures?: string
  /** Limits besides those on the pace, which are off. */
  readonly policy?: PolicyInput
  /** Queries of the calls at once, as equal calls would be retries of each other. @default calls without end */
  readonly queries?: readonly string[]
}

/** Report of so many calls. */
export type Paid = {
  readonly signatures: number
  readonly paid: number
  /** Number of other results: refusals by code, and statuses. */
  readonly others: Readonly<Record<string, number>>
}

// The names of the economy are on loopback.
const lookup: LookupFunction = (_name, { all }, answer) => {
  if (all) answer(null, [{ address: '127.0.0.1', family: 4 }])
  else answer(null, '127.0.0.1', 4)
}
dns.lookup = lookup as typeof dns.lookup
const settings: PayerSettings = JSON.parse(process.argv[2] ?? '')
const { signatures, queries, ledger: place } = settings
const wallet = createRecordingWallet(settings.key, ({ message }) => {
  if (signatures !== undefined) appendFileSync(signatures, `${message.nonce}\n`)
})
const ledger =
  place === undefined
    ? undefined
    : 'file' in place
      ? await createFileLedger(place.file)
      : await createPostgresLedger({ url: place.database, name: place.name, connections: 2 })
const velocity = { perHostPerMinute: 100_000, identicalPerMinute: 100_000 }
const guard = createGuard({
  service: settings.service,
  policy: { velocity, ...settings.policy },
  ...(ledger && { ledger }),
})
const pay = INTEGRATIONS[settings.integration](guard, fetch, wallet.account)

/** Makes a call. Returns its status, or the code of its refusal. */
async function call(query: string): Promise<string> {
  try {
    const response = await pay(`${settings.endpoint}${query && `?${query}`}`)
    return (await response.text()) === '' ? 'nothing' : String(response.status)
  } catch (error) {
    return findGuardError(error)?.code ?? String(error)
  }
}

process.once('message', async () => {
  if (queries === undefined) {
    for (let count = 0; ; count++) {
      const result = await call(`call=${process.pid}-${count}`)
      if (result !== '200') throw new Error(`not paid: ${result}`)
      process.send?.('paid')
    }
  }
  const results = await Promise.all(queries.map(call))
  const others: Record<string, number> = {}
  for (const result of results) if (result !== '200') others[result] = (others[result] ?? 0) + 1
  const paid = results.filter((result) => result === '200').length
  await ledger?.close()
  process.send?.({ signatures: wallet.signed.length, paid, others } satisfies Paid, () => process.exit(0))
})
process.send?.('ready')
