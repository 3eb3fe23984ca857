import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig, startApp } from '@touchstone402/server'
import { createTestClient, http } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { answering, denying } from './support/facilitatorAnswers.ts'
import { type Fault, startFaultyFacilitator } from './support/faultyFacilitator.ts'
import { TRUST_PRICE, useMarket } from './support/market.ts'
import { listen } from './support/serve.ts'
import { signFor } from './support/sign.ts'

const market = useMarket()

/** Starts the service behind a facilitator with faults, and with the given RPCs before that of the chain. */
async function start(rpcUrls: readonly string[] = []) {
  const { chain, facilitator: real, directories, wallets, lookup } = market.economy
  const facilitator = await startFaultyFacilitator(real.url)
  onTestFinished(() => facilitator.close())
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-sale-faults-'))
  const read = readConfig({
    PUBLIC_URL: 'https://trust.example',
    RPC_URLS: [...rpcUrls, ...(rpcUrls.length === 2 ? [] : [chain.rpcUrl])].join(','),
    FACILITATOR_URL: facilitator.url,
    PAY_TO: wallets.service.address,
    OPERATOR_NAME: 'Example Trust',
    OPERATOR_CONTACT: 'ops@trust.example',
    DIRECTORIES: `bazaar=${directories.bazaarUrl}`,
    DATA_DIR: directory,
    PORT: '0',
    METRICS_PORT: '0',
  })
  if (!read.ok) throw new Error(read.problems.join('\n'))
  const logged: { message: string; event: string }[] = []
  const app = await startApp(read.config, {
    lookup,
    log: (_, message, fields) => logged.push({ message, ...fields }),
  })
  onTestFinished(async () => {
    await app.stop()
    await rm(directory, { recursive: true, force: true })
  })
  const node = createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) })
  const timer = setInterval(() => void node.mine({ blocks: 1 }), 500)
  onTestFinished(() => clearInterval(timer))
  const of = (event: string) => logged.filter((line) => line.event === event)
  const metrics = async () => {
    const [{ message = '' } = {}] = of('metrics_served')
    return (await fetch(message.slice('metrics at '.length))).text()
  }
  const faults = async (step: string) =>
    Number(new RegExp(`payment_faults_total\\{step="${step}"\\} (\\d+)`).exec(await metrics())?.[1])
  const checks = async () => {
    const { checks } = (await (await fetch(`${app.url}/readyz`)).json()) as { checks: Record<string, string> }
    return checks
  }
  const buy = async (path: string) => {
    const { headers } = await signFor(app.url + path, market.bot(), 2)
    const startedMs = performance.now()
    const response = await fetch(app.url + path, { headers })
    const body: { code?: string; requestId?: string } = await response.json().catch(() => ({}))
    return { status: response.status, ...body, seconds: (performance.now() - startedMs) / 1000 }
  }
  return { facilitator, of, faults, checks, buy }
}

test.each<[string, Fault, { step: string; reason: RegExp }]>([
  ['denies', denying('after'), { step: 'contradicted', reason: /200 \(.*\), reason insufficient_funds: \{/ }],
  [
    'answers 500',
    answering('after', 500, { error: 'internal' }),
    { step: 'settle', reason: /500 \(.*internal/ },
  ],
  [
    'resets the connection',
    { kind: 'reset', when: 'after' },
    { step: 'settle', reason: /other side closed|ECONNRESET|socket/ },
  ],
  ['answers HTML', answering('after', 200, '<html>'), { step: 'settle', reason: /200 \(.*\): <html>/ }],
])(
  'behavior: of a facilitator that settles and %s, the buyer gets the answer, and the log the cause',
  async (_, settle, said) => {
    const { facilitator, of, faults, buy } = await start()
    await facilitator.set({ settle })
    expect(await buy('/trust')).toMatchObject({ status: 200 })
    expect(await market.earned()).toBe(TRUST_PRICE)
    expect(of('payment_failed')).toMatchObject([
      {
        step: said.step,
        reason: expect.stringMatching(said.reason),
        requestId: expect.stringMatching(/^[\w-]{12}$/),
      },
    ])
    expect(await faults(said.step)).toBe(1)
  },
)

test('behavior: of a facilitator that denies and settles later, the next equal call is not charged, and is logged', async () => {
  const { facilitator, of, faults, buy } = await start()
  await facilitator.set({ settle: denying('before') })
  expect(await buy('/trust')).toMatchObject({ status: 402 })
  expect([of('payment_failed').length, await faults('denied')]).toEqual([1, 1])
  await facilitator.settleLast()
  await facilitator.set({})
  expect(await buy('/trust')).toMatchObject({ status: 200 })
  expect(await market.earned()).toBe(TRUST_PRICE)
  expect([of('payment_owed').length, await faults('late')]).toEqual([1, 1])
})

/** Starts an RPC that accepts requests and never answers. */
async function startSilentRpc(): Promise<string> {
  const server = await listen(createServer(() => {}))
  onTestFinished(() => server.stop())
  return server.url
}

test('behavior: a preferred RPC that hangs stops no sale', async () => {
  const { buy, checks } = await start([await startSilentRpc()])
  const bought = await buy('/data/full')
  expect(bought.status).toBe(200)
  expect((await checks()).confirmation).toBe('ok')
})

test('error: with every RPC hanging, dear calls are refused, and /readyz says so at once', async () => {
  const { buy, checks, of, faults } = await start([await startSilentRpc(), await startSilentRpc()])
  expect(await buy('/data/full')).toMatchObject({ status: 503, code: 'chain_unavailable' })
  expect(await market.earned()).toBe(0n)
  await expect.poll(checks).toMatchObject({ confirmation: 'too slow' })
  expect(of('payment_failed')).toMatchObject([{ step: 'confirm' }])
  expect(await faults('confirm')).toBe(1)
})
