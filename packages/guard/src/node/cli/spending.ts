import { NO_CAP } from '../../decide/budget.ts'
import { formatUsd } from '../../formatUsd.ts'
import { readBudget } from '../../integrations/readBudget.ts'
import type { BudgetLine } from '../../ledger/budgetLine.ts'
import { reconcileLedger } from '../../ledger/reconcile.ts'
import { createUpto } from '../../upto/createUpto.ts'
import type { OpenedLedger } from '../defaultLedger.ts'
import { describePayment } from './describePayment.ts'
import { type Io, print, UsageError } from './io.ts'
import { openExistingLedger, readPolicy, readRpcUrls, readService } from './options.ts'

type LedgerGiven = {
  readonly ledger: string | undefined
  readonly json: boolean
}

/** `budget`: prints spent, reserved and remaining amounts. */
export async function budget(
  values: LedgerGiven & { readonly policy: string | undefined; readonly service: string | undefined },
  io: Io,
): Promise<number> {
  const policy = await readPolicy(values.policy)
  const isAlone = readService(io, values.service) === undefined
  const result = await withLedger(values.ledger, io, (ledger) =>
    readBudget({ ledger, policy, cap: NO_CAP, now: Date.now }, isAlone),
  )
  const { isStopped, day, total, unknown, hosts, receivers, unknownDomains } = result
  const kind = isAlone ? 'New sellers' : 'Without a full verdict'
  const each = (name: string, lines: Record<string, BudgetLine>) =>
    Object.entries(lines).map(([key, line]) => describeLine(`${name}${key}`, line))
  return print(io, values, result, [
    ...(isStopped ? ['Payments are stopped.'] : []),
    describePayment(result),
    describeLine('Last 24 hours', day),
    describeLine('Since the beginning', total),
    describeLine(`${kind}, last 24 hours`, unknown),
    ...each('Host ', hosts),
    ...each('Receiver ', receivers),
    ...each(`${kind}, `, unknownDomains),
  ])
}

function describeLine(name: string, line: BudgetLine): string {
  const { spentUsd, reservedUsd, limitUsd, remainingUsd, resetsAt } = line
  const reserved = reservedUsd === '0' ? '' : `, ${formatUsd(reservedUsd)} reserved`
  const left =
    limitUsd === null || remainingUsd === null
      ? ', no limit'
      : ` of ${formatUsd(limitUsd)}${reserved}, ${formatUsd(remainingUsd)} left`
  return `${name}: ${formatUsd(spentUsd)} spent${left}${resetsAt === null ? '' : `, next reset ${resetsAt}`}`
}

/** `ledger reconcile`: resolves payments by the chain. */
export async function reconcile(
  values: LedgerGiven & { readonly rpc: readonly string[] | undefined },
  io: Io,
): Promise<number> {
  const rpcUrls = readRpcUrls(io, values.rpc)
  const result = await withLedger(values.ledger, io, (ledger) =>
    reconcileLedger(ledger, { rpcUrls, fetch: io.fetch, upto: createUpto() }),
  )
  const { settled, unused, open, kept } = result
  return print(io, values, result, [
    `${settled} settled, ${unused} released, ${open} open.`,
    ...kept.map(({ id, why }) => `${id}: ${why}`),
  ])
}

/** `stop`: stops the payments of every process that shares the ledger. */
export async function stop(values: LedgerGiven & { readonly resume: boolean }, io: Io): Promise<number> {
  const isStopped = !values.resume
  await withLedger(values.ledger, io, (ledger) => ledger.setStopped(isStopped))
  const line = isStopped ? 'Payments are stopped. To resume: stop --resume' : 'Payments are allowed again.'
  return print(io, values, { isStopped }, [line])
}

/** `strikes`: lists or clears paid calls without delivery. */
export const strikes = listOrClear('strikes', ({ endpoint, at }) => {
  const last = new Date(Math.max(...at)).toISOString()
  return `${endpoint}: ${at.length} without delivery, last ${last}`
})

/** `pins`: lists or clears pinned receivers. */
export const pins = listOrClear(
  'pins',
  ({ endpoint, network, payTo }) => `${endpoint}: ${payTo} on ${network}`,
)

function listOrClear<Kind extends 'strikes' | 'pins'>(
  kind: Kind,
  describe: (one: ReturnType<OpenedLedger[Kind]>[number]) => string,
) {
  return async (values: LedgerGiven & { readonly clear: string | undefined }, io: Io): Promise<number> => {
    const { clear } = values
    const found = await withLedger(values.ledger, io, async (ledger) => {
      if (clear !== undefined) await ledger.clear(kind, readHost(clear))
      return ledger[kind]()
    })
    const lines = found.length > 0 ? found.map(describe) : [`No ${kind}.`]
    return print(io, values, { cleared: clear ?? null, [kind]: found }, lines)
  }
}

function readHost(given: string): string {
  const host = given.toLowerCase()
  if (!URL.canParse(`https://${host}`) || new URL(`https://${host}`).host !== host) {
    throw new UsageError(`--clear: expected a host such as api.example.com, got ${given}`)
  }
  return host
}

async function withLedger<T>(
  path: string | undefined,
  io: Io,
  work: (ledger: OpenedLedger) => T | Promise<T>,
): Promise<T> {
  const ledger = await openExistingLedger(path, io)
  try {
    return await work(ledger)
  } finally {
    await ledger.close()
  }
}
