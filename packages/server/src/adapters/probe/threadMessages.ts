import type { LookupAddress } from 'node:dns'
import type { ProbeResult, ProbeTarget } from '../../ports/prober.ts'
import type { ProberOptions } from './createProber.ts'

/** What a prober's thread is started with. */
export type ThreadOptions = Omit<ProberOptions, 'lookup'> & {
  /** Whether names are resolved by whoever has started it: a function cannot be handed over. */
  readonly asksLookup: boolean
}

/** Work for the thread. */
export type Ask =
  | { readonly kind: 'probe'; readonly target: ProbeTarget }
  | { readonly kind: 'document'; readonly url: string }

/** What the thread is told. The number names the work, or the lookup that is answered. */
export type ToThread = { readonly id: number } & (
  | Ask
  | { readonly kind: 'stop' }
  | { readonly kind: 'resolved'; readonly addresses: LookupAddress[] }
  | { readonly kind: 'resolved'; readonly code: string }
)

/** What the thread says; undefined of a document that could not be asked for. */
export type ThreadAnswer = { readonly id: number } & (
  | { readonly kind: 'done'; readonly value: ProbeResult | string | null | undefined }
  | { readonly kind: 'lookup'; readonly hostname: string }
)
