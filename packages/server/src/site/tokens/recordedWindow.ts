import type { Flow, Momentum, Pulse, Whales } from '@touchstone402/shared'
import recorded from './recordedWindow.json' with { type: 'json' }

/** The four token answers about one window. */
export type TokenWindowAnswers = {
  readonly pulse: Pulse
  readonly whales: Whales
  readonly flow: Flow
  readonly momentum: Momentum
}

/** A day of a test chain, as the service answers about it. A test records it again and compares. */
export const RECORDED_WINDOW = recorded as TokenWindowAnswers
