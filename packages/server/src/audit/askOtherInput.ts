import type { Context } from '../context.ts'
import { hasTerms, type Observation } from '../facts/facts.ts'
import { limitOffers } from '../judge/history.ts'
import { amountsDiffer, payeesDiffer, termsOf } from '../judge/terms.ts'
import { type Ask, type AskContext, askEndpoint } from './askEndpoint.ts'
import type { ClientChoice } from './chooseClient.ts'
import type { OtherInput } from './describeTarget.ts'

/** Context of a probe with other input. */
type OtherInputContext = AskContext & Pick<Context, 'random'> & { readonly clients: ClientChoice }

/** Share of scheduled probes after which other input is sent. */
const SHARE = 1 / 3

/**
 * Sends other input after a scheduled probe, drawn by lot. If it is answered with other terms, pins the difference down: the
 * input is held and the client changed, which sends the usual input first.
 * @param first the scheduled probe
 * @param asked clients that have probed, the one that has waited longest first
 * @returns what returned terms. A refused input says nothing, since the host may validate it.
 */
export async function askOtherInput(
  ctx: OtherInputContext,
  ask: Ask,
  first: Observation,
  asked: readonly string[],
): Promise<readonly Observation[]> {
  const { inputs = [] } = ask
  const input = inputs[Math.floor(ctx.random() * inputs.length)]
  if (input === undefined || first.method !== 'GET' || ctx.random() >= SHARE) return []
  const other = await askInput(ctx, ask, input)
  if (other === undefined || !termsDiffer(first, other)) return other === undefined ? [] : [other]
  const client = ctx.clients.draw(asked.filter((name) => name !== first.client))
  if (client === ask.client || ask.mayStart?.() === false) return [other]
  const usual = await askEndpoint(ctx, { ...ask, client, purpose: 'confirm' })
  ctx.clients.learn(client, usual)
  const again = await askInput(ctx, { ...ask, client }, input)
  return [other, usual, ...(again === undefined ? [] : [again])]
}

async function askInput(
  ctx: AskContext,
  ask: Ask,
  { kind, url }: OtherInput,
): Promise<Observation | undefined> {
  const request = { url, body: null, methods: ['GET'], others: [], worked: undefined, isKnown: true }
  const answered = await askEndpoint(ctx, { ...ask, ...request, purpose: 'confirm' })
  return hasTerms(answered) ? { ...answered, input: kind } : undefined
}

function termsDiffer(a: Observation, b: Observation): boolean {
  const [one, two] = [termsOf(limitOffers(a)), termsOf(limitOffers(b))]
  return payeesDiffer(one, two) || amountsDiffer(one, two)
}
