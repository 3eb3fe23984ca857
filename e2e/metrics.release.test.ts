import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig, startApp } from '@touchstone402/server'
import { expect, onTestFinished, test } from 'vitest'
import { useMarket } from './support/market.ts'
import { signFor } from './support/sign.ts'

const market = useMarket()

test('default', async () => {
  const { chain, facilitator, directories, wallets, lookup } = market.economy
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-metrics-'))
  const list = join(directory, 'urls.txt')
  await writeFile(list, 'monopoly://board/go\nnot a url at all\n')
  const read = readConfig({
    PUBLIC_URL: 'https://trust.example',
    RPC_URLS: chain.rpcUrl,
    FACILITATOR_URL: facilitator.url,
    PAY_TO: wallets.service.address,
    OPERATOR_NAME: 'Example Trust',
    OPERATOR_CONTACT: 'ops@trust.example',
    DIRECTORIES: `bazaar=${directories.bazaarUrl},file=${list}`,
    DATA_DIR: directory,
    PORT: '0',
    METRICS_PORT: '0',
  })
  if (!read.ok) throw new Error(read.problems.join('\n'))
  const { config } = read
  let lines: string[] = []
  const start = () => {
    lines = []
    return startApp(config, { lookup, log: (_, message) => lines.push(message) })
  }
  let app = await start()
  onTestFinished(async () => {
    await app.stop()
    await rm(directory, { recursive: true, force: true })
  })

  const { headers } = await signFor(`${app.url}/trust`, market.bot(), 2)
  expect((await fetch(`${app.url}/trust`, { headers })).status).toBe(200)
  expect((await fetch(`${app.url}/trust`, { headers })).headers.get('idempotent-replayed')).toBe('true')
  for (let call = 0; call < 2; call++) await fetch(`${app.url}/trust-score.json`)
  // Metrics are not public.
  expect((await fetch(`${app.url}/metrics`)).status).toBe(404)

  const url = () => lines.find((line) => line.startsWith('metrics at '))?.slice('metrics at '.length) ?? ''
  const count = async () => (await (await fetch(url())).text()).split('\n')
  await expect
    .poll(count)
    .toContain(
      'touchstone_http_requests_total{route="/trust-score.json",method="GET",status="2xx",memory="true"} 1',
    )
  const text = await count()
  for (const line of [
    'touchstone_paid_calls_total{operation="trust",outcome="asked"} 1',
    'touchstone_paid_calls_total{operation="trust",outcome="sold"} 1',
    'touchstone_paid_calls_total{operation="trust",outcome="replayed"} 1',
    'touchstone_claims_open{state="unknown"} 0',
    'touchstone_claims_open{state="missing"} 0',
    'touchstone_claims_open{state="reported"} 1',
  ]) {
    expect(text).toContain(line)
  }
  expect(text.some((line) => line.startsWith('touchstone_crawl_due_endpoints '))).toBe(true)

  // The dashboard shows the same counts as the metrics.
  await expect.poll(() => app.crawl().discoveries).toBe(1)
  await expect.poll(() => app.crawl().lastFinishedAt).not.toBeNull()
  // The operator's file has no usable row.
  for (const state of ['read', 'failed'])
    expect(await count()).toContain(`touchstone_crawl_directories{state="${state}"} 1`)
  expect((await count()).join('\n')).toMatch(/^touchstone_crawl_directory_rows\{directory="bazaar"\} [1-9]/m)
  expect(await count()).toContain('touchstone_leader 1')
  for (const reason of ['not_http', 'malformed']) {
    expect(await count()).toContain(`touchstone_crawl_skipped_rows{reason="${reason}"} 1`)
  }
  await expect
    .poll(async () => (await count()).join('\n'))
    .toMatch(/^touchstone_probes_total\{purpose="scheduled",outcome="\w+"\} [1-9]/m)

  // Settlements are looked up on chain at every start, and each half minute.
  await app.stop()
  app = await start()
  await expect.poll(count).toContain('touchstone_claims_open{state="reported"} 0')
  expect(await count()).toContain('touchstone_claims_open{state="missing"} 0')
})
