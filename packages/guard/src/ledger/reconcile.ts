import { withDeadline } from '../deadline.ts'
import type { FetchLike } from '../types.ts'
import {
  type Block,
  type Chain,
  type ChainUse,
  createChain,
  doubtAge,
  doubtNetwork,
  type ReadChain,
  readAuthorizationState,
  readBlock,
} from './chain.ts'
import { provesEnd } from './exposure.ts'
import type { ExpiryProof, Ledger, LedgerUpdate, Payment } from './ledger.ts'

/**
 * Options of {@link reconcileLedger}.
 * @example
 * const options: ReconcileOptions = { rpcUrls: { 'eip155:8453': 'https://mainnet.base.org' } }
 */
export type ReconcileOptions = {
  /** RPC endpoints by CAIP-2 id. Payments on other networks are not resolved. */
  rpcUrls: RpcUrls
  /** Returns Unix time in ms. @default Date.now */
  now?: () => number
  /** @default the global fetch */
  fetch?: FetchLike
  /** `createUpto()`, to resolve `upto` payments; without it they stay as they are. */
  upto?: { readChain: ReadChain }
}

/**
 * RPC endpoints by CAIP-2 id. One endpoint is trusted to say that an amount is free again; several must agree.
 * @example
 * const rpcUrls: RpcUrls = { 'eip155:8453': ['https://mainnet.base.org', 'https://base.example'] }
 */
export type RpcUrls = Readonly<Record<string, string | readonly string[]>>

/**
 * Numbers of pending payments that were settled, expired unused or never left, or are still open, and why.
 * @example
 * const isDone = ({ open }: Reconciled) => open === 0
 */
export type Reconciled = {
  settled: number
  unused: number
  open: number
  kept: { id: string; why: string }[]
}

/**
 * Resolves pending payments by on-chain state and releases amounts that can no longer be spent.
 *
 * An authorization is unused if, ten minutes after its end by the own clock, a finalized block that is at most an hour
 * old shows its nonce unused after that end; of several RPC endpoints all must show it. An `upto` payment that such a
 * block shows as collected counts with the collected amount from then on. Payments stay open if an RPC fails, lags, is of
 * another chain or sends an invalid answer.
 * @example
 * await reconcileLedger(guard.ledger, { rpcUrls: { 'eip155:8453': 'https://mainnet.base.org' } })
 */
export async function reconcileLedger(ledger: Ledger, options: ReconcileOptions): Promise<Reconciled> {
  const { rpcUrls, fetch = globalThis.fetch, now = Date.now } = options
  await ledger.refresh()
  const result: Reconciled = { settled: 0, unused: 0, open: 0, kept: [] }
  for (const { id } of ledger.lapsed(now())) {
    await ledger.update(id, { state: 'expired', at: now() })
    if (ledger.find(id)?.state === 'released') result.unused += 1
  }
  const readers = { exact: { readChain: readAuthorizationState }, upto: options.upto }
  const asked = new Map<string, ChainAnswer>()
  for (const entry of ledger.pending()) {
    const answer = await askChain(rpcUrls[entry.network], entry, readers, fetch, now())
    if (tellsMore(answer.update, entry)) await ledger.update(entry.id, answer.update)
    asked.set(entry.id, answer)
  }
  const pending = new Set(ledger.pending().map(({ id }) => id))
  for (const [id, { why = NOT_YET }] of asked) {
    if (pending.has(id)) result.kept.push({ id, why })
    else if (ledger.find(id)?.state === 'settled') result.settled += 1
    else result.unused += 1
  }
  result.open = result.kept.length
  return result
}

/** Whether an update says more than that a payment was settled, which is known. */
const tellsMore = (update: ChainAnswer['update'], { state }: Payment): update is NonNullable<typeof update> =>
  update !== undefined && (state !== 'settled' || !('by' in update && update.by === 'seller'))

const TIMEOUT_MS = 15_000
// A ledger in a database uses the clock of the database.
const NOT_YET = 'Its end is not far enough by the clock of the ledger.'
// Of an `upto` payment, as where the owner has invalidated its nonce.
const COST_UNKNOWN = 'Its nonce was used, and no settlement shows what it cost: it counts with its most.'
const FAILED = 'An RPC endpoint failed, or its answer is not valid.'

/** Reads the use of payments by their scheme; without a reader they stay open. */
type ChainReaders = { exact: { readChain: ReadChain }; upto?: { readChain: ReadChain } | undefined }

/** The result of asking the chain about a payment: an update that resolves it, or the reason why it stays open. */
export type ChainAnswer =
  | { update: Extract<LedgerUpdate, { state: 'settled' | 'unused' }>; why?: string }
  | { update?: undefined; why: string }

/**
 * Reads from the chain what became of a payment. Never rejects.
 * @param urls RPC endpoints of the payment's network
 * @param now the own clock, Unix time in ms
 */
export async function askChain(
  urls: RpcUrls[string] | undefined,
  entry: Payment,
  readers: ChainReaders,
  fetch: FetchLike,
  now: number,
): Promise<ChainAnswer> {
  const { scheme = 'exact', network, authorization } = entry
  const reader = scheme === 'tempo' ? undefined : readers[scheme]
  const chains = [urls ?? []].flat().map((url) => createChain(url, fetch))
  if (chains.length === 0) return { why: `There is no RPC endpoint for ${network}.` }
  if (reader === undefined) return { why: `Nothing here reads payments of the scheme ${scheme} on chain.` }
  // A copy, since the payment may exchange its authorization meanwhile.
  const asked = () => resolve(chains, { ...entry }, reader, now)
  // Together, however many calls they take.
  const answer = await withDeadline(asked, TIMEOUT_MS).catch((): ChainAnswer => ({ why: FAILED }))
  if (answer.update === undefined || authorization === null) return answer
  return { ...answer, update: { ...answer.update, nonce: authorization.nonce } }
}

async function resolve(
  chains: readonly Chain[],
  entry: Payment,
  { readChain }: { readChain: ReadChain },
  now: number,
): Promise<ChainAnswer> {
  const doubts = await Promise.all(
    chains.map((chain) => doubtNetwork(chain, entry.network).catch(() => FAILED)),
  )
  const ofNetwork = chains.filter((_, index) => doubts[index] === null)
  // A payment that any endpoint shows as collected is spent, final or not. What an `upto` payment cost needs proof.
  if (entry.scheme === undefined) {
    const seen = await Promise.all(ofNetwork.map((chain) => readLatest(chain, entry, readChain)))
    const used = seen.filter((use) => use?.used === true)
    const [use] = used
    // What one of several says alone is a claim: it must not bar a seller from other agents.
    if (use) return { update: toUpdate(entry, use, { isAgreed: used.length === chains.length }) }
  }
  const doubt = doubts.find((one) => one !== null)
  if (doubt) return { why: doubt }
  const block = await readFinal(chains)
  if (block === null) return { why: 'The RPC endpoints disagree about a finalized block.' }
  const old = doubtAge(block, now)
  if (old !== null) return { why: old }
  const uses = await Promise.all(chains.map((chain) => readChain(chain, entry, block)))
  const [use] = uses
  if (use === undefined) return { why: 'The token does not tell whether it was collected.' }
  if (uses.some((one) => JSON.stringify(one) !== JSON.stringify(use)))
    return { why: 'The RPC endpoints do not agree whether it was collected.' }
  const proof = { at: now, block: block.number.toString(), timestamp: Number(block.timestamp) }
  if (use.used) return { update: toUpdate(entry, use, { isAgreed: true, proof }), why: COST_UNKNOWN }
  const { until } = entry
  if (until === null) return { why: 'Its authorization is not known.' }
  if (provesEnd(proof, entry)) return { update: { state: 'unused', proof } }
  const end = new Date(until * 1000).toISOString()
  return { why: `It can be collected until ${end}, and a final block must be later.` }
}

/** Reads the use of an authorization at the latest block; undefined if the endpoint fails. */
async function readLatest(chain: Chain, entry: Payment, readChain: ReadChain) {
  try {
    return await readChain(chain, entry, await readBlock(chain, 'latest'))
  } catch {
    return undefined
  }
}

/** Reads the lowest of the last finalized blocks; null unless all endpoints have it. */
async function readFinal(chains: readonly Chain[]): Promise<Block | null> {
  const finals = await Promise.all(chains.map((chain) => readBlock(chain, 'finalized')))
  const lowest = finals.reduce((least, next) => (next.number < least.number ? next : least))
  if (chains.length === 1) return lowest
  const same = await Promise.all(chains.map((chain) => readBlock(chain, lowest.tag)))
  const isShared = same.every(({ hash, timestamp }) => hash === lowest.hash && timestamp === lowest.timestamp)
  return isShared && typeof lowest.hash === 'string' ? lowest : null
}

function toUpdate(
  { scheme }: Payment,
  { transaction, amountAtomic }: Extract<ChainUse, { used: true }>,
  { isAgreed, proof }: { isAgreed: boolean; proof?: ExpiryProof },
) {
  if (amountAtomic !== undefined && proof)
    return { state: 'settled', by: 'chain', transaction, amountAtomic, proof } as const
  // A used nonce does not tell what an `upto` payment has cost.
  return { state: 'settled', by: isAgreed && scheme !== 'upto' ? 'chain' : 'seller', transaction } as const
}
