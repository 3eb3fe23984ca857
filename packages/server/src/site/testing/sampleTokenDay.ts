import { FlowSchema, MomentumSchema, PulseSchema, type TokenDay, WhalesSchema } from '@touchstone402/shared'
import tokenExamples from '../../http/tokenExamples.json' with { type: 'json' }
import type { TokenDays } from '../../tokens/tokenDays.ts'

/** A day of USDC, made of the recorded answers. */
export const SAMPLE_TOKEN_DAY: TokenDay = {
  date: '2026-01-30',
  readAt: '2026-01-31T12:20:00.000Z',
  pulse: PulseSchema.parse(tokenExamples.pulse),
  whales: WhalesSchema.parse(tokenExamples.whales),
  flow: FlowSchema.parse(tokenExamples.flow),
  momentum: MomentumSchema.parse(tokenExamples.momentum),
}

/** Stores a day as the queue does. */
export function putSampleDay(days: Pick<TokenDays, 'put'>, day: TokenDay = SAMPLE_TOKEN_DAY): Promise<void> {
  const { token, summary, window } = day.pulse
  const attempt = { date: day.date, count: 1, at: Date.parse(day.readAt), failure: null, isSettled: true }
  const { name, symbol, warnings, address } = token
  const line = { name, symbol, warnings, date: day.date, summary, isComplete: window.complete, attempt }
  return days.put(address.toLowerCase(), line, day)
}
