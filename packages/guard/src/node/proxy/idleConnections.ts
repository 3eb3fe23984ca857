/**
 * Bounds the connections that no call uses: new ones, half-sent heads, and those kept alive. Beyond `max` it picks the
 * oldest of the holder that has the most, so that none can close those of another by opening many.
 */
export function createIdleConnections<Connection>(max: number) {
  const byHolder = new Map<string, Set<Connection>>()
  const holderOf = new Map<Connection, string>()
  const remove = (connection: Connection) => {
    const holder = holderOf.get(connection) ?? ''
    const ofHolder = byHolder.get(holder)
    ofHolder?.delete(connection)
    if (ofHolder?.size === 0) byHolder.delete(holder)
    holderOf.delete(connection)
  }
  return {
    /** Adds a connection. Returns the one to close for it, if there are too many. */
    add(connection: Connection, holder: string): Connection | undefined {
      remove(connection)
      holderOf.set(connection, holder)
      byHolder.set(holder, (byHolder.get(holder) ?? new Set()).add(connection))
      if (holderOf.size <= max) return undefined
      const [most] = [...byHolder.values()].sort((one, other) => other.size - one.size)
      const [oldest] = most ?? []
      if (oldest !== undefined) remove(oldest)
      return oldest
    },
    /** Removes a connection that has closed, or that a call uses. */
    remove,
  }
}
