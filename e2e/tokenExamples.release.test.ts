import { readFile } from 'node:fs/promises'
import { USDC } from '@touchstone402/economy'
import { FlowSchema, MomentumSchema, PulseSchema, WhalesSchema } from '@touchstone402/shared'
import { expect, it } from 'vitest'
import { useOwnTokenMarket } from './support/ownTokenMarket.ts'
import { settleTimes } from './support/settleTimes.ts'

const examples: Record<string, unknown> = {}
let pastEndsAt = 0

useOwnTokenMarket(async ({ economy, buyAnswer, logsOf, timeOf }) => {
  const past = await logsOf({ from: 0, to: Number(await economy.chain.publicClient.getBlockNumber()) })
  pastEndsAt = await timeOf(past.at(-1)?.block ?? 0)
  // First, so that every run has the same data.
  const day = `?token=${USDC}&window=24h`
  examples.pulse = await buyAnswer(PulseSchema, `/pulse${day}`)
  examples.whales = await buyAnswer(WhalesSchema, `/whales${day}`)
  examples.flow = await buyAnswer(FlowSchema, `/flow${day}`)
  examples.momentum = await buyAnswer(MomentumSchema, `/momentum${day}`)
})

it('behavior: the examples of the OpenAPI document are such responses', async () => {
  const text = `${JSON.stringify(settleTimes(examples, pastEndsAt * 1000), null, 2)}\n`
  await expect(text).toMatchFileSnapshot('../packages/server/src/http/tokenExamples.json')
  const document = JSON.parse(await readFile(new URL('../docs/openapi.json', import.meta.url), 'utf8'))
  for (const [id, example] of Object.entries(JSON.parse(text)))
    expect(document.paths[`/${id}`].get.responses['200'].content['application/json'].example).toEqual(example)
})
