/** A rule of the guard, undone by a change of its source text. */
export type Mutation = {
  readonly name: string
  /** Path below the guard's `src`. */
  readonly file: string
  readonly from: string
  readonly to: string
  /** Of the world that finds it first. Others find it too, as the guard and the worlds change. */
  readonly seed: number
}

/** Applies a mutation. @throws Error if its text does not stand in the file exactly once */
export function mutate(text: string, { name, file, from, to }: Omit<Mutation, 'seed'>): string {
  const found = text.split(from).length - 1
  if (found !== 1) throw new Error(`mutation ${name}: its text stands ${found} times in ${file}, not once`)
  return text.replace(from, () => to)
}

/**
 * The rules of the guard, each undone in one place. A world must find what then goes wrong.
 * Texts stand in the guard's source as they are here: one that was changed fails loudly.
 */
export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'an agent is believed about a signature that it was handed',
    file: 'ledger/exposure.ts',
    from: "state === 'handedOut' && agent === null && until !== null",
    to: "state === 'handedOut' && until !== null",
    seed: 369,
  },
  {
    name: 'a signature leaves before the ledger knows of it',
    file: 'integrations/guardedAccount.ts',
    from: 'await handOut(context, holder, authorization).catch(drop)',
    to: 'handOut satisfies unknown',
    seed: 89,
  },
  {
    name: 'an RPC frees money without a final block that is later and fresh',
    file: 'ledger/exposure.ts',
    from: 'return until !== null && proof.at > until * 1000 + GRACE_MS && proof.timestamp > until && isFresh(proof)',
    to: 'return until !== null && proof.at > until * 1000 + GRACE_MS',
    seed: 13,
  },
  {
    name: 'an approval pays for a request with another body',
    file: 'paying/takeApproval.ts',
    from: 'const open = ofCall.filter(({ body }) => body === null || body === sent)',
    to: 'const open = ofCall.filter(() => sent.length >= 0)',
    seed: 28,
  },
  {
    name: 'an equal call is paid anew while its first payment may be collected',
    file: 'ledger/pending.ts',
    from: 'if (isSameCall(entry.once, once)) return entry',
    to: "if (isSameCall(entry.once, once) && entry.state === 'reserved') return entry",
    seed: 21,
  },
  {
    name: 'what one token saw a seller do bars the others',
    file: 'ledger/sellers.ts',
    from: "list.filter((one) => one.for === 'all' || (isTold && one.for === 'two'))",
    to: 'list.filter(() => isTold || list.length > 0)',
    seed: 549,
  },
  {
    name: 'a ledger goes on in a file that is no longer at its path',
    file: 'node/ledgerPlace.ts',
    from: 'if (isWhole && placed !== null &&',
    to: 'if (opened !== null || isWhole && placed !== null &&',
    seed: 1,
  },
]
