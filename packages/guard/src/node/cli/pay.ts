import { parseArgs } from 'node:util'
import { isGuardError } from '../../errors.ts'
import type { GuardEvent } from '../../events.ts'
import { readStart } from '../../readBody.ts'
import { createGuard } from '../../seats/createGuard.ts'
import { createUpto } from '../../upto/createUpto.ts'
import { readEndpoint } from './check.ts'
import { EXIT, type Io, UsageError } from './io.ts'
import { openLedger } from './openLedger.ts'
import { readKey, readPolicy, readService } from './options.ts'
import { describeRefusal, refusalAsJson } from './refusal.ts'

const MAX_BYTES = 1024 * 1024
const TIMEOUT_MS = 600_000

/** `pay <url>`: makes one guarded call and prints the response. */
export async function pay(args: string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      json: { type: 'boolean' },
      service: { type: 'string' },
      policy: { type: 'string' },
      ledger: { type: 'string' },
      'max-usd': { type: 'string' },
      method: { type: 'string', default: 'GET' },
      data: { type: 'string' },
    },
  })
  const url = readEndpoint('pay', positionals).given
  const policy = await readPolicy(values.policy)
  const { account, createGuardedFetch } = await loadWallet(io)
  const service = readService(io, values.service)
  const ledger = await openLedger(values.ledger, io.env)
  const events: GuardEvent[] = []
  const onDecision = (event: GuardEvent) => void events.push(event)
  const guard = createGuard({ account, policy, ledger, service, onDecision, upto: createUpto() })
  const report = async () => {
    const { day } = await guard.budget()
    const paid = events.find(({ type }) => type === 'allowed')?.payment?.amountUsd ?? null
    const transaction = events.find(({ type }) => type === 'settled')?.transaction ?? null
    return { amountUsd: paid, transaction, remainingTodayUsd: day.remainingUsd, resetsAt: day.resetsAt }
  }
  try {
    const send = createGuardedFetch({ account, guard, fetch: io.fetch })
    const { method, data, 'max-usd': maxUsd } = values
    const response = await send(url, { method, maxUsd, ...(data === undefined ? {} : { body: data }) })
    const { text: body, isCut } = await readStart(response, MAX_BYTES, TIMEOUT_MS)
    const { status } = response
    const result = { status, ...(await report()), truncated: isCut, body }
    if (values.json) io.out(JSON.stringify(result))
    else {
      io.out(body)
      if (isCut) io.err(`The body was cut: only the first ${body.length} characters are shown.`)
      const { amountUsd, transaction, remainingTodayUsd } = result
      const where = transaction === null ? 'settlement not confirmed' : `transaction ${transaction}`
      io.err(
        amountUsd === null
          ? 'Nothing was paid.'
          : `Paid $${amountUsd}, ${where}; $${remainingTodayUsd} left of the daily budget.`,
      )
    }
    return response.ok ? EXIT.ok : EXIT.refused
  } catch (error) {
    if (!isGuardError(error)) throw error
    if (values.json) io.out(JSON.stringify({ ...refusalAsJson(error), ...(await report()) }))
    else for (const line of describeRefusal(error)) io.err(line)
    return EXIT.refused
  } finally {
    await ledger.close()
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
