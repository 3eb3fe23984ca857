import type { KyselyPlugin, UnknownRow } from 'kysely'
import type { ArgumentsOf, ResultOf, UnitName } from '../engine.ts'
import type { Tables } from '../schema.ts'
import type { Store } from '../store.ts'

/** Units that take the place of those of a store. */
export type Units = { [K in UnitName]?: (...args: ArgumentsOf<K>) => Promise<ResultOf<K>> }

/** Returns the store with some units replaced. */
export function withUnits<S extends Store>(store: S, units: Units): S {
  const write = <K extends UnitName>(name: K, ...args: ArgumentsOf<K>): Promise<ResultOf<K>> =>
    units[name]?.(...args) ?? store.write(name, ...args)
  return { ...store, write }
}

/**
 * Returns the store with what queries of a table read passed through `change`, which may count the rows, replace them, wait,
 * or throw.
 */
export function withReads<S extends Store>(
  store: S,
  table: keyof Tables,
  change: (rows: UnknownRow[]) => UnknownRow[] | Promise<UnknownRow[]>,
): S {
  const ofTable = new WeakSet<object>()
  const plugin: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      if (namesTable(node, table)) ofTable.add(queryId)
      return node
    },
    async transformResult({ queryId, result }) {
      return ofTable.has(queryId) ? { ...result, rows: await change(result.rows) } : result
    },
  }
  return { ...store, db: store.db.withPlugin(plugin) }
}

/** Whether a part of a query names a table. */
function namesTable(part: unknown, table: string): boolean {
  if (typeof part !== 'object' || part === null) return false
  if ('kind' in part && part.kind === 'SchemableIdentifierNode')
    return JSON.stringify(part).includes(`"name":"${table}"`)
  return Object.values(part).some((inner) => namesTable(inner, table))
}
