import type { EndpointState, ScoreEvidence } from '../../../domain/facts/hostDocument.ts'

/** Fields that the first builds of version 0.1 did not write, or wrote under other names. */
type Late = 'darkSince' | 'doubtful' | 'scored'

/** The derived state of an endpoint as any build of version 0.1 wrote it. */
export type OldState = Omit<EndpointState, Late> &
  Partial<Pick<EndpointState, 'darkSince' | 'doubtful'>> & {
    readonly scored?: Partial<Pick<ScoreEvidence, 'conformance' | 'proof' | 'priceJumps' | 'openIncidents'>>
  }

/** The derived state of a host as any build of version 0.1 wrote it. */
export type OldHost = {
  readonly host: string
  readonly endpoints: readonly OldState[]
  readonly updatedAt: number
}

const NO_DEPARTURE = { foreignResource: false, undeclaredInput: false, misplacedChallenge: false }
const NO_PROOF = { delivered: false, signed: false }

/** Completes a state. Fields that are missing get the value of an endpoint of which nothing is known. */
export function completeState(old: OldState): EndpointState {
  const { scored, ...state } = old
  return {
    ...state,
    darkSince: old.darkSince ?? null,
    doubtful: old.doubtful ?? false,
    scored: {
      conformance: pick(NO_DEPARTURE, scored?.conformance),
      proof: pick(NO_PROOF, scored?.proof),
      priceJumps: scored?.priceJumps ?? 0,
      openIncidents: scored?.openIncidents ?? [],
    },
  }
}

/** Returns the defaults with the fields of the same name that are known, and no others. */
function pick<T extends Readonly<Record<string, boolean>>>(defaults: T, known: Partial<T> | undefined): T {
  const found = Object.keys(defaults).flatMap((key) =>
    known?.[key] === undefined ? [] : [[key, known[key]]],
  )
  return { ...defaults, ...Object.fromEntries(found) }
}
