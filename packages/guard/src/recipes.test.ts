import { beforeEach, describe, expect, test } from 'vitest'
import { isGuardError } from './errors.ts'
import { createCountingAccount } from './testing/clients.ts'
import { useHarness } from './testing/harness.ts'
import { RECIPE_CODE, runRecipe } from './testing/runRecipe.ts'
import { startSeller } from './testing/seller.ts'

// By `recipes.release.test.ts`. The table of runtimes has no code, and `docsAgent.release` runs the command.
const ELSEWHERE = ['One budget for three machines', 'CommonJS', 'Lambda and edge', 'This week as CSV']

const harness = useHarness('@x402/fetch')
let prices: Record<string, string>
beforeEach(() => {
  prices = {}
  harness.seller.character = { terms: ({ url = '/' }) => [{ amount: prices[url] ?? '10000' }] }
})

/** Runs a recipe with the seller of the test as `api.example.com`. */
function run(title: string, given: Readonly<Record<string, unknown>> = {}) {
  const { account, counter } = createCountingAccount()
  const { url } = harness.seller
  const places = [
    ['https://api.example.com', url],
    ["'api.example.com'", `'${new URL(url).host}'`],
  ] as const
  return runRecipe(title, places, { account, ...given }).then((declared) => ({ ...declared, counter }))
}

type Pay = (url: string) => Promise<Response>
const codeOf = (pay: Pay, path: string, { url } = harness.seller) =>
  pay(url + path).then(
    ({ status }) => status,
    (error: unknown) => (isGuardError(error) ? error.code : error),
  )

test('default: every recipe is run, here or by the test that is named', () => {
  const paid = ['Ask a person above an amount', 'Trust one host', 'Several prices at one host']
  const portable = ['Bun and Deno', 'The AI SDK without a model']
  expect([...RECIPE_CODE.keys()].toSorted()).toEqual([...paid, ...portable, ...ELSEWHERE].toSorted())
})

describe('Ask a person above an amount', () => {
  test('default: pays small amounts alone, asks above, and refuses beyond the limit', async () => {
    prices = { '/report': '300000', '/dear': '1000001' }
    const asked: string[] = []
    const confirm = (text: string) => Boolean(asked.push(text))
    const { payAsking, counter } = await run('Ask a person above an amount', { confirm })
    const { host } = new URL(harness.seller.url)
    expect(asked).toEqual([`It is $0.30; at most $0.05 is paid without approval. Pay $0.3 to ${host}?`])
    expect([await codeOf(payAsking, '/weather'), await codeOf(payAsking, '/dear')]).toEqual([
      200,
      'OVER_PAYMENT_LIMIT',
    ])
    expect([asked.length, counter.signatures]).toEqual([1, 2])
  })

  test('behavior: a no is a refusal', async () => {
    prices = { '/report': '300000' }
    const answer = run('Ask a person above an amount', { confirm: () => false })
    await expect(answer).rejects.toMatchObject({ code: 'OVER_ASK_LIMIT' })
  })
})

test('Trust one host: it may take what its entry says, and another host what a new seller may', async () => {
  prices = { '/report': '500000', '/dearer': '500001' }
  const { payWeather, counter } = await run('Trust one host')
  expect(counter.signatures).toBe(1)
  expect(await codeOf(payWeather, '/dearer')).toBe('OVER_PAYMENT_LIMIT')
  const other = await startSeller({ terms: [{ amount: '100001' }] })
  expect(await codeOf(payWeather, '/weather', other)).toBe('OVER_NEW_SELLER_LIMIT')
  await other.stop()
})

test('Several prices at one host: a cheap and a dear endpoint are both paid', async () => {
  prices = { '/weather': '10000', '/report': '250000', '/third': '250001' }
  const { payCatalog, counter } = await run('Several prices at one host')
  expect(counter.signatures).toBe(2)
  expect(await codeOf(payCatalog, '/third')).toBe('OVER_PAYMENT_LIMIT')
})

test('Bun and Deno: the portable guard counts in memory', async () => {
  const { portable } = await run('Bun and Deno')
  expect(await portable.budget()).toMatchObject({ day: { limitUsd: '2', remainingUsd: '2' } })
})

test('The AI SDK without a model: the tool reports state and text, and reaches no private address', async () => {
  const printed: unknown[][] = []
  const console = { log: (...line: unknown[]) => printed.push(line) }
  await run('The AI SDK without a model', { console })
  expect(printed).toEqual([['none', expect.stringContaining('the address is not public')]])
})
