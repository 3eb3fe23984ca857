import { ADDRESS_PATTERN, BASE, findNetwork } from '@touchstone402/shared'
import type { Address, TransferSource } from '@touchstone402/transfers'
import { isZeroAt, txHashAt } from '@touchstone402/transfers'
import { verifyMessage } from 'viem'
import type { Announcement } from '../domain/facts/facts.ts'
import { DAY, HOUR } from '../domain/facts/times.ts'
import { addressesOf, type Epoch } from '../domain/judge/epochs.ts'
import { normalAddress } from '../domain/judge/offers.ts'
import { readRotations, rotationMessage } from '../domain/judge/rotation.ts'
import type { Clock } from '../ports/clock.ts'
import type { Prober } from '../ports/prober.ts'

export type AnnouncementDeps = {
  readonly prober: Pick<Prober, 'document'>
  /** Reads USDC on Base; null where no chain is configured. */
  readonly source: Pick<TransferSource, 'blockAtOrBefore' | 'blockTimes' | 'transfers'> | null
  readonly clock: Clock
  readonly newId: (prefix: string) => string
  readonly onError?: (error: unknown) => void
}

/** A change of receiver that wants an announcement. */
export type SeenSwap = { readonly endpoint: string; readonly before: Epoch; readonly after: Epoch }

/** Looks for the word of an old receiver that names its successor. */
export type AnnouncementReader = {
  /** What the old receiver signed in the host's `/.well-known/x402`, or else funded on chain beforehand. */
  read(swap: SeenSwap): Promise<Announcement[]>
}

/** How far back funding is looked for. */
const FUNDING_MS = 30 * DAY
/** A chain that showed no funding is asked again this rarely. */
const ASK_AGAIN_MS = HOUR
const MAX_REMEMBERED = 10_000

/** Makes the reader. The host's own word counts for nothing: who took over the receiver may hold the host. */
export function createAnnouncementReader(deps: AnnouncementDeps): AnnouncementReader {
  const asked = new Map<string, number>()
  return {
    async read(swap) {
      const pairs = findPairs(swap)
      if (pairs.length === 0) return []
      const signed = await readSigned(deps, swap, pairs)
      if (signed.length > 0) return signed
      const key = `${swap.endpoint} ${swap.after.from}`
      const last = asked.get(key)
      if (last !== undefined && deps.clock.now() - last < ASK_AGAIN_MS) return []
      if (asked.size >= MAX_REMEMBERED) asked.clear()
      asked.set(key, deps.clock.now())
      return readFunded(deps, swap, pairs)
    },
  }
}

type Pair = { readonly network: string; readonly oldPayTo: Address; readonly newPayTo: Address }

/** Every old receiver with every new one of a network; addresses that cannot sign by EIP-191 are left out. */
function findPairs({ before, after }: SeenSwap): Pair[] {
  const olds = [...addressesOf(before)]
  return [...after.receivers].flatMap(([key, receivers]) => {
    const network = key.slice(0, key.indexOf(' '))
    return [...receivers]
      .filter((newPayTo) => !olds.includes(newPayTo))
      .flatMap((newPayTo) => olds.map((oldPayTo) => ({ network, oldPayTo, newPayTo })))
      .filter((pair): pair is Pair => isAddress(pair.oldPayTo) && isAddress(pair.newPayTo))
  })
}

const isAddress = (text: string): text is Address => ADDRESS_PATTERN.test(text)

async function readSigned(
  { prober, clock, newId }: AnnouncementDeps,
  { endpoint }: SeenSwap,
  pairs: readonly Pair[],
): Promise<Announcement[]> {
  const { origin, host } = new URL(endpoint)
  const text = await prober.document(`${origin}/.well-known/x402`)
  const found: Announcement[] = []
  for (const rotation of text === null ? [] : readRotations(text)) {
    const { network, newPayTo, validFrom, validFromAt, signature } = rotation
    const wanted = pairs.filter(
      (pair) => pair.network === network && pair.newPayTo === normalAddress(newPayTo),
    )
    for (const { oldPayTo } of wanted) {
      const message = rotationMessage({ host, network, oldPayTo, newPayTo, validFrom })
      if (!(await isSignedBy(oldPayTo, message, signature))) continue
      found.push({
        kind: 'announcement',
        id: newId('ann'),
        at: clock.now(),
        host,
        network,
        oldPayTo,
        newPayTo,
        validFrom: validFromAt,
        basis: 'signature',
        txHash: null,
      })
    }
  }
  return found
}

async function isSignedBy(address: Address, message: string, signature: `0x${string}`): Promise<boolean> {
  try {
    return await verifyMessage({ address, message, signature })
  } catch {
    // Bytes that are no signature.
    return false
  }
}

/** Payments of more than nothing: a transfer of zero in another's name is open to anybody. */
async function readFunded(
  { source, clock, newId, onError }: AnnouncementDeps,
  { endpoint, after }: SeenSwap,
  pairs: readonly Pair[],
): Promise<Announcement[]> {
  const token = findNetwork(BASE)?.usdc
  if (source === null || token === undefined || !isAddress(token)) return []
  const found: Announcement[] = []
  try {
    const to = await source.blockAtOrBefore(Math.floor(after.from / 1000))
    const from = await source.blockAtOrBefore(Math.floor((after.from - FUNDING_MS) / 1000))
    for (const { network, oldPayTo, newPayTo } of pairs) {
      if (network !== BASE) continue
      const { columns } = await source.transfers({
        token,
        fromBlock: from.number,
        toBlock: to.number,
        from: oldPayTo,
        to: newPayTo,
      })
      const row = Array.from({ length: columns.count }, (_, index) => index).find(
        (index) => !isZeroAt(columns, index),
      )
      const block = row === undefined ? undefined : columns.block[row]
      if (row === undefined || block === undefined) continue
      const seconds = (await source.blockTimes([block])).get(block)
      if (seconds === undefined) continue
      found.push({
        kind: 'announcement',
        id: newId('ann'),
        at: clock.now(),
        host: new URL(endpoint).host,
        network,
        oldPayTo,
        newPayTo,
        validFrom: seconds * 1000,
        basis: 'funded_on_chain',
        txHash: txHashAt(columns, columns.tx[row] ?? 0),
      })
    }
  } catch (error) {
    // A chain that does not answer announces nothing.
    onError?.(error)
  }
  return found
}
