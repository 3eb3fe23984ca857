import type { LeafText } from '@touchstone402/shared/leaves'

/** A statement to be logged. */
export type NewLeaf = LeafText & {
  /** Key of which this leaf is the newest, such as `decision https://api.example/a`. */
  readonly key: string
  /** Whether it is left out if there is a leaf of its key. @default false */
  readonly once?: boolean
  /** The endpoint whose answers name the leaf. @default none do */
  readonly about?: { readonly host: string; readonly endpoint: string }
}

/** Key of the leaves that tell an endpoint's decisions. */
export const decisionKey = (endpoint: string) => `decision ${endpoint}`

/** Key of the leaf of a host's probes of one day. */
export const dayKey = (host: string, date: string) => `day ${date} ${host}`

/** Key of a leaf of the category medians of one day. @param part from 0 */
export const inputsKey = (date: string, part: number) => `inputs ${date} ${part}`

/** Key of the leaf of a version of the map. */
export const mapKey = (version: number) => `map ${version}`

/** Key of the leaf that begins a key that signs. @param id its thumbprint or verifier key */
export const signingKeyKey = (id: string) => `key ${id}`
