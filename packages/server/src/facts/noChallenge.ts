import type { Observation } from './facts.ts'

/** The fields of an observation that come from a challenge. */
export type ObservedChallenge = Pick<
  Observation,
  'versions' | 'offers' | 'resourceOrigin' | 'declaresInput' | 'declaresOutput' | 'disagreements' | 'problems'
>

/** The fields of a probe that met no challenge. */
export const NO_CHALLENGE: ObservedChallenge = {
  versions: [],
  offers: [],
  resourceOrigin: null,
  declaresInput: false,
  declaresOutput: false,
  disagreements: [],
  problems: [],
}
