import type { Scenario } from '../types.ts'

const category = 'budget_split'
type Call = { origin: string; port: number; count: number }
const path = ({ origin, count }: Call) => `${origin}/p${count}`
const host = ({ port, count }: Call) => `http://h${count}.localhost:${port}/weather`
const tenant = ({ port, count }: Call) => `http://h${count}.shop.localhost:${port}/weather`
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'GET']

/** Sums that are split so that no single payment looks large. */
export const splits: readonly Scenario[] = [
  {
    category: 'ghost_paywall',
    name: 'Every path that the caller guesses asks for a cent, and none was ever measured.',
    seller: {},
    url: path,
    verdict: null,
    calls: 12,
    approved: 10,
    code: 'OVER_UNKNOWN_DOMAIN_LIMIT',
  },
  {
    category,
    name: 'The tenants of one domain without verdicts share the sum.',
    seller: {},
    url: tenant,
    verdict: null,
    policy: { onUnknown: { maxPerDomainPerDayUsd: '0.03' } },
    calls: 6,
    approved: 3,
    code: 'OVER_UNKNOWN_DOMAIN_LIMIT',
  },
  {
    category,
    name: 'Hosts of many domains without verdicts share the sum.',
    seller: {},
    url: host,
    verdict: null,
    policy: { onUnknown: { maxPerDayUsd: '0.03' } },
    calls: 6,
    approved: 3,
    code: 'OVER_UNKNOWN_DAY_LIMIT',
  },
  {
    category,
    name: 'One receiver collects at many hosts.',
    seller: {},
    url: host,
    policy: { maxPerReceiverPerDayUsd: '0.03' },
    calls: 6,
    approved: 3,
    code: 'OVER_RECEIVER_DAY_LIMIT',
  },
  {
    category,
    name: 'One host collects by every method.',
    seller: {},
    init: (count) => ({ method: METHODS[count] ?? 'GET' }),
    url: ({ origin, count }) => `${origin}/weather?call=${count}`,
    policy: { maxPerHostPerDayUsd: '0.03' },
    calls: 6,
    approved: 3,
    code: 'OVER_HOST_DAY_LIMIT',
  },
  {
    category,
    name: 'Ten concurrent calls to ten hosts each see the whole budget of the day.',
    seller: {},
    url: host,
    policy: { maxPerDayUsd: '0.03' },
    calls: 10,
    atOnce: true,
    approved: 3,
    code: 'OVER_DAY_LIMIT',
  },
  {
    category,
    name: 'A task is drawn into more calls than its own budget holds.',
    seller: {},
    url: ({ origin, count }) => `${origin}/weather?call=${count}`,
    taskUsd: '0.03',
    calls: 5,
    approved: 3,
    code: 'OVER_TASK_LIMIT',
  },
]
