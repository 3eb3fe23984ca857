import type { TokenAddress } from '@touchstone402/shared'
import { Address } from '../components/prose.tsx'

type PartyProps = Pick<TokenAddress, 'address' | 'label'> & { readonly network: string }

/** An address with its label, if it has one. */
export function Party({ address, label, network }: PartyProps) {
  return (
    <span>
      {label !== null && `${label} `}
      <Address value={address} network={network} />
    </span>
  )
}
