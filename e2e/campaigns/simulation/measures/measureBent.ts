import type { Host, TermsOf } from '../world/types.ts'
import type { Sample, SamplesOf } from './sample.ts'

/**
 * Returns the hosts with a bent verdict: a rival's listing changed an honest one, or a path, a name, an
 * opt-out or a new host cleared a record.
 */
export function findBent(hosts: readonly Host[], samplesOf: SamplesOf): string[] {
  return hosts.filter((host) => isBent(host, samplesOf(host))).map(({ host }) => host)
}

function isBent({ rival, escapesOnDay, faults }: Host, samples: readonly Sample[]): boolean {
  if (rival !== undefined) return samples.some(({ verdict }) => verdict !== 'safe')
  if (escapesOnDay === undefined) return false
  // On some paths, Caution is the worst verdict by the rules.
  const isMild = ({ endpoint, verdict }: Sample) =>
    verdict === 'caution' &&
    faults.some(
      ({ path, ...fault }) => fault.verdict === 'caution' && path !== undefined && endpoint.endsWith(path),
    )
  return samples.some((sample) => sample.day >= escapesOnDay && !isRefused(sample) && !isMild(sample))
}

/** Whether a guard refuses to pay: at `avoid`, and at risk `high` with any verdict. */
const isRefused = ({ verdict, riskLevel }: Sample) => verdict === 'avoid' || riskLevel === 'high'

/** Returns the hosts whose signed terms held, at `safe` or `caution`, what no verdict may vouch for. */
export function findWronglyVouched(hosts: readonly Host[], samplesOf: SamplesOf): string[] {
  return hosts
    .filter((host) =>
      samplesOf(host).some((sample) => host.forbidden?.some((one) => isVouchedFor(sample, one)) === true),
    )
    .map(({ host }) => host)
}

function isVouchedFor(
  { day, verdict, terms }: Sample,
  { fromDay, toDay, network, payTo, aboveAtomic }: TermsOf,
): boolean {
  if (day < fromDay || day >= toDay || (verdict !== 'safe' && verdict !== 'caution')) return false
  return terms.some(
    (term) =>
      (network === undefined || term.network === network) &&
      (payTo === undefined || term.payTo.toLowerCase() === payTo.toLowerCase()) &&
      (aboveAtomic === undefined || BigInt(term.amountAtomicMax) > BigInt(aboveAtomic)),
  )
}
