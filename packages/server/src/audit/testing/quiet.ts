import type { AuditParts } from '../auditContext.ts'

/** A process without shopper and oracle, whose log and metrics go nowhere. */
export const QUIET = {
  config: { network: 'eip155:8453', sanctionsOracle: '', shopper: null },
  log: () => {},
  metrics: { probe: () => {} },
  stopping: new AbortController().signal,
}

/** Parts of an audit that knows no chain and no other hosts. */
export const NO_PARTS: Pick<AuditParts, 'chain' | 'ownAccounts' | 'readModel'> = {
  chain: null,
  ownAccounts: null,
  readModel: { categoryPrice: async () => undefined, lookalike: async () => undefined },
}
