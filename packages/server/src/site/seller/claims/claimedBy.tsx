import type { ClaimMethod } from '../../../claims/claimTexts.ts'
import type { HostClaim } from '../../../claims/hostClaim.ts'
import { Address, Day } from '../../components/prose.tsx'

const METHOD_NAMES: Readonly<Record<ClaimMethod, string>> = {
  file: 'file',
  dns: 'DNS',
  signature: 'payTo signature',
}

/** Name of a way to claim a host. */
export const methodName = (method: ClaimMethod) => METHOD_NAMES[method]

/** Says how a host is claimed, and since when. Empty if it is not. */
export function ClaimedBy({ claims }: { readonly claims: readonly HostClaim[] }) {
  if (claims.length === 0) return null
  return (
    <p class="small muted">
      {claims.map(({ method, since, address }, index) => (
        <>
          {index === 0 ? 'Claimed by ' : ', by '}
          {methodName(method)}
          {address !== null && (
            <>
              {' '}
              of <Address value={address} />
            </>
          )}{' '}
          since <Day at={since} />
        </>
      ))}
      . A claim shows who answers for the host, by a signature for the endpoints of that receiver alone, and
      changes no verdict.
    </p>
  )
}
