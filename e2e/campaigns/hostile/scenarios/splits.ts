import { approves, attack, eachNew, type Scenario } from '../situations.ts'

const ghost = attack('ghost_paywall')
const split = attack('budget_split')

type Call = { origin: string; port: number; count: number }
const path = ({ origin, count }: Call) => `${origin}/p${count}`
const host = ({ port, count }: Call) => `http://h${count}.localhost:${port}/weather`
const tenant = ({ port, count }: Call) => `http://h${count}.shop.localhost:${port}/weather`
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'GET']

/** Sums that are split so that no single payment looks large. */
export const splits: readonly Scenario[] = [
  ghost(
    'Every path that the caller guesses asks for a cent, and none was ever measured.',
    'OVER_UNKNOWN_DOMAIN_LIMIT',
    { url: path, verdict: null, ...approves(10, 12) },
  ),
  split('The tenants of one domain without verdicts share the sum.', 'OVER_UNKNOWN_DOMAIN_LIMIT', {
    url: tenant,
    verdict: null,
    policy: { onUnknown: { maxPerDomainPerDayUsd: '0.03' } },
    ...approves(3, 6),
  }),
  split('Hosts of many domains without verdicts share the sum.', 'OVER_UNKNOWN_DAY_LIMIT', {
    url: host,
    verdict: null,
    policy: { onUnknown: { maxPerDayUsd: '0.03' } },
    ...approves(3, 6),
  }),
  split('One receiver collects at many hosts.', 'OVER_RECEIVER_DAY_LIMIT', {
    url: host,
    policy: { maxPerReceiverPerDayUsd: '0.03' },
    ...approves(3, 6),
  }),
  split('One host collects by every method.', 'OVER_HOST_DAY_LIMIT', {
    init: (count) => ({ method: METHODS[count] ?? 'GET' }),
    url: eachNew,
    policy: { maxPerHostPerDayUsd: '0.03' },
    ...approves(3, 6),
  }),
  split('Ten concurrent calls to ten hosts each see the whole budget of the day.', 'OVER_DAY_LIMIT', {
    url: host,
    policy: { maxPerDayUsd: '0.03' },
    ...approves(3, 10),
    atOnce: true,
  }),
  split('A task is drawn into more calls than its own budget holds.', 'OVER_TASK_LIMIT', {
    url: eachNew,
    taskUsd: '0.03',
    ...approves(3, 5),
  }),
]
