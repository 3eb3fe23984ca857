import { allSellers, type Economy, type SellerHandle } from '@touchstone402/economy'
import { expect, test } from 'vitest'
import { describeJoining } from './describeJoining.ts'
import { nameSellers } from './sellerNames.ts'

const SERVICE = 'http://127.0.0.1:8402'
const SELLERS = nameSellers(allSellers).map((spec): [string, SellerHandle] => {
  const host = `${spec.name}.localhost:8403`
  const { id, method, receiver } = spec
  const handle = { id, spec, host, url: `http://${host}${spec.path}`, method, hits: 0, paid: 0 }
  return [id, { ...handle, receiver: `0x${String(receiver.index).padStart(40, '0')}` }]
})
const ECONOMY = {
  sellers: Object.fromEntries(SELLERS),
  chain: { usdcBalanceOf: async () => 100_000_000n },
}
const describe = async (knowsNames: boolean) =>
  (await describeJoining(ECONOMY as unknown as Economy, SERVICE, knowsNames)).join('\n')

test('default: prints the settings, the commands and every endpoint by the name that the dashboard shows', async () => {
  const text = await describe(true)
  expect(text).toContain('ENDPOINT_URL=http://weather.localhost:8403/weather\nPRIVATE_KEY=0x')
  expect(text).toContain('\n\nnpm run agent -- examples/quickstart/agent.mjs\n\n')
  expect(text).toContain(`touchstone.js check http://weather.localhost:8403/weather --service ${SERVICE}`)
  for (const [, { url, method, spec }] of SELLERS)
    expect(text).toMatch(new RegExp(`^  ${method} +${url} +${spec.title}$`, 'm'))
})

test('behavior: explains the names only where the resolver of the machine does not know them', async () => {
  expect(await describe(true)).not.toContain('NODE_OPTIONS')
  expect(await describe(false)).toMatch(
    /^export NODE_OPTIONS=--import=file:\/\/\/.+\/scripts\/agent\/localNames\.mjs$/m,
  )
})
