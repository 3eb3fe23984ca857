import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { parseIpAddress } from '@touchstone402/shared/addresses'
import { z } from 'zod'

/** The way by which requests to sellers leave this machine: an HTTP proxy, or one of its own addresses. */
export type Egress = { readonly proxy: string } | { readonly localAddress: string }

const EXPECTED =
  'must be the URL of an HTTP proxy, such as http://10.0.0.5:3128, or an address of this machine'

function isOwnAddress(given: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  const wanted = parseIpAddress(given)
  return own.some(({ address }) => {
    const parsed = parseIpAddress(address)
    return parsed?.family === wanted?.family && parsed?.value === wanted?.value
  })
}

const egress = z
  .string()
  .transform((given, context): Egress => {
    if (isIP(given) !== 0) {
      if (!isOwnAddress(given)) context.addIssue(`is ${given}, which is no address of this machine`)
      return { localAddress: given }
    }
    const isProxy = URL.canParse(given) && new URL(given).protocol === 'http:'
    const { pathname, search, hash } = isProxy ? new URL(given) : { pathname: '', search: '', hash: '' }
    if (pathname === '/' && search === '' && hash === '') return { proxy: given }
    context.addIssue(EXPECTED)
    return z.NEVER
  })
  .optional()

/** Settings of the ways out, by name. */
export const egressSettings = {
  EGRESS_PROBER: egress,
  EGRESS_CHECKS: egress,
  EGRESS_SHOPPER: egress,
}

type Settings = z.infer<z.ZodObject<typeof egressSettings>>

/** Returns the way out of each part, null for the machine's own. */
export function readEgress(settings: Settings) {
  return {
    prober: settings.EGRESS_PROBER ?? null,
    checks: settings.EGRESS_CHECKS ?? null,
    shopper: settings.EGRESS_SHOPPER ?? null,
  }
}
