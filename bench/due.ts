import { waitingSellers } from '@touchstone402/server/testing'
import { seededRandom } from '@touchstone402/shared/testing'

const { hoursUntilCaught, honestWhenDue, stealAfterProbes, stealDaily } = waitingSellers

const SHARES = [0.5, 0.9, 0.99]
/** Twenty times the mean until a seller that steals for a hundredth of the time meets a probe. */
const MOST_HOURS = 6_000
/** Bar of the seller that is honest only when a probe was due. */
const DUE_P99_HOURS = 24

type Row = {
  readonly seller: string
  readonly share: number | null
  readonly runs: number
  readonly medianHours: number | null
  readonly p90Hours: number | null
  readonly p99Hours: number | null
  readonly caughtPct: number
  /** Caught of those probed at fixed gaps with jitter, the floor of this bench, within 60 days. */
  readonly caughtAtFixedGapsPct: number
}

/**
 * A seller that steals at moments of its choice, and sees each probe, is caught.
 *
 * Measures the hours until its verdict is not Safe any more, for sellers that are honest for a share of the time, and for
 * one that is honest only when the next probe was due while gaps were fixed.
 */
export async function run({ short }: { short: boolean }) {
  const runs = short ? 20 : 200
  const rows: Row[] = [measure('honest when due', null, honestWhenDue, runs)]
  for (const share of SHARES) {
    rows.push(measure('steals after each probe', share, stealAfterProbes(share), runs))
    rows.push(measure('steals once a day', share, stealDaily(share), runs))
  }
  process.stdout.write(toTable(rows))
  const [due] = rows
  const ok =
    due?.p99Hours != null && due.p99Hours <= DUE_P99_HOURS && rows.every((row) => row.caughtPct >= 99)
  return { ok, figures: { rows } }
}

function measure(seller: string, share: number | null, isHonest: waitingSellers.Waiting, runs: number): Row {
  const catchAll = (schedule: 'drawn' | 'fixed', count: number, mostHours: number) =>
    Array.from({ length: count }, (_, index) =>
      hoursUntilCaught({ isHonest, random: seededRandom(index + 1), schedule, mostHours }),
    )
  const drawn = catchAll('drawn', runs, MOST_HOURS)
  const fixed = catchAll('fixed', Math.ceil(runs / 10), 1_440)
  const hours = drawn.map((one) => one ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b)
  return {
    seller,
    share,
    runs,
    medianHours: quantile(hours, 0.5),
    p90Hours: quantile(hours, 0.9),
    p99Hours: quantile(hours, 0.99),
    caughtPct: toPct(drawn),
    caughtAtFixedGapsPct: toPct(fixed),
  }
}

function quantile(sorted: readonly number[], share: number): number | null {
  const found = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
  return found === undefined || found === Number.POSITIVE_INFINITY ? null : Math.round(10 * found) / 10
}

const toPct = (caught: readonly (number | null)[]) =>
  Math.round((100 * caught.filter((hours) => hours !== null).length) / caught.length)

function toTable(rows: readonly Row[]): string {
  const head = ['seller', 'honest share', 'median h', 'p90 h', 'p99 h', 'caught %', 'caught % at fixed gaps']
  const lines = rows.map((row) => [
    row.seller,
    row.share ?? 'when due',
    row.medianHours ?? 'never',
    row.p90Hours ?? 'never',
    row.p99Hours ?? 'never',
    row.caughtPct,
    row.caughtAtFixedGapsPct,
  ])
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}
