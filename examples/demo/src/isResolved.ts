import { lookup } from 'node:dns/promises'

/** Returns whether the resolver of this machine knows a host, such as a name below localhost. */
export async function isResolved(host: string): Promise<boolean> {
  return lookup(host).then(
    () => true,
    () => false,
  )
}
