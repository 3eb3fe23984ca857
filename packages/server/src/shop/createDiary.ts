import type { Purchase, Time } from '../facts/facts.ts'
import { toDate } from '../facts/times.ts'

/** Test purchases of one day, and why others were not made. */
export type DiaryDay = {
  /** `YYYY-MM-DD`, UTC. */
  readonly date: string
  readonly delivered: number
  readonly undelivered: number
  /** Purchases whose payment the chain does not show. */
  readonly unsettled: number
  /** Number of hosts that are not bought from, by the code of the last reason. */
  readonly reasons: Readonly<Record<string, number>>
}

type Bought = Pick<Purchase, 'host' | 'settled' | 'delivered'>

/** Record of the test purchases of the day. */
export type Diary = {
  /** Continues a day after a restart. */
  resume(date: string, purchases: readonly Bought[]): void
  noteBought(purchase: Bought): void
  /** Notes why a host was not bought from. */
  notePassed(host: string, reason: string): void
  /** Forgets all hosts but these. */
  keep(hosts: ReadonlySet<string>): void
  /** Returns the day so far. */
  today(): DiaryDay
  /** Returns the last day once it has ended, and begins another; undefined before. */
  close(now: Time): DiaryDay | undefined
}

/** Maximum number of hosts kept; the oldest are forgotten first. */
const MAX_HOSTS = 50_000

export function createDiary(now: Time): Diary {
  // Kept from day to day, since most hosts wait for longer than a day.
  const reasons = new Map<string, string>()
  let date = toDate(now)
  let counts = { delivered: 0, undelivered: 0, unsettled: 0 }
  const today = (): DiaryDay => {
    const byReason: Record<string, number> = {}
    for (const reason of reasons.values()) byReason[reason] = (byReason[reason] ?? 0) + 1
    return { date, ...counts, reasons: byReason }
  }
  const notePassed = (host: string, reason: string) => {
    reasons.delete(host)
    reasons.set(host, reason)
    const [oldest] = reasons.keys()
    if (reasons.size > MAX_HOSTS && oldest !== undefined) reasons.delete(oldest)
  }
  const noteBought = ({ host, settled, delivered }: Bought) => {
    counts[settled ? (delivered ? 'delivered' : 'undelivered') : 'unsettled']++
    notePassed(host, 'bought_lately')
  }
  return {
    resume(day, purchases) {
      date = day
      counts = { delivered: 0, undelivered: 0, unsettled: 0 }
      for (const purchase of purchases) noteBought(purchase)
    },
    noteBought,
    notePassed,
    keep(hosts) {
      for (const host of reasons.keys()) if (!hosts.has(host)) reasons.delete(host)
    },
    today,
    close(at) {
      if (toDate(at) === date) return undefined
      const day = today()
      date = toDate(at)
      counts = { delivered: 0, undelivered: 0, unsettled: 0 }
      return day
    },
  }
}

/** Describes a day for the operator. */
export function describeDay({ date, delivered, undelivered, unsettled, reasons }: DiaryDay): string {
  const made = delivered + undelivered + unsettled
  const outcomes = [
    `${delivered} delivered`,
    `${undelivered} not delivered`,
    ...(unsettled === 0 ? [] : [`${unsettled} not settled`]),
  ]
  const bought = made === 0 ? 'nothing bought' : `${made} bought, ${outcomes.join(', ')}`
  const passed = Object.entries(reasons).sort(([, a], [, b]) => b - a)
  const others = passed.map(([reason, count]) => `${count} ${reason}`).join(', ')
  return `test purchases on ${date}: ${bought}; hosts not bought from: ${others || 'none works'}`
}
