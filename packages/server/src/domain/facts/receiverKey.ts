/** Returns the key of a receiver: `network address`, lower case. */
export function receiverKey(network: string, address: string): string {
  return `${network} ${address}`.toLowerCase()
}
