import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { keyAt, USDC, WALLET_INDEX } from '@touchstone402/economy'
import { createTouchstoneClient } from '@touchstone402/guard/client'
import { OPERATIONS, type Operation } from '@touchstone402/shared'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { ROOT } from '../../scripts/docs/shellLines.ts'
import { runLine, startLine } from '../../scripts/docs/startLine.ts'
import { useService } from '../support/economy.ts'
import { createStockBuyer } from '../support/stockBuyer.ts'

const { economy, service } = await useService()
let page: string

beforeAll(async () => {
  const answer = await fetch(`${service.url}/docs`, { headers: { accept: 'text/html' } })
  page = await answer.text()
})

const ENTITIES: Readonly<Record<string, string>> = {
  '&#39;': "'",
  '&quot;': '"',
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
}

const sampleOf = (path: string, kind: string) => snippetOf(`Call of ${path} ${kind}`)

/** Returns a snippet of the page, with an endpoint and a service that exist. */
function snippetOf(name: string): string {
  const label = `aria-label="${name}"`
  const [, code = ''] = /<code>([\s\S]*?)<\/code>/.exec(page.slice(page.indexOf(label))) ?? []
  if (!page.includes(label) || code === '') throw new Error(`no sample: ${label}`)
  const [seller] = Object.values(economy.sellers)
  return code
    .replaceAll(/&(?:#39|quot|lt|gt|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    .replaceAll('https://api.example.com/weather', seller?.url ?? '')
    .replaceAll(encodeURIComponent('https://api.example.com/weather'), encodeURIComponent(seller?.url ?? ''))
    .replaceAll(/0x[0-9a-fA-F]{40}/g, USDC)
}

// Depends on what was measured.
const VARY = ['signature', 'logIndex', 'resourceHosts', 'live', 'score', 'band']

test('default: the TypeScript sample of every operation is answered with the fields of its example', async () => {
  const client = createTouchstoneClient({ url: service.url, pay: createStockBuyer(economy) })
  const document = JSON.parse(await readFile(new URL('../../docs/openapi.json', import.meta.url), 'utf8'))
  for (const { path } of Object.values<Operation>(OPERATIONS)) {
    const code = sampleOf(path, 'in TypeScript')
    const run = new Function('touchstone', `return (async () => { ${code}\nreturn answer })()`)
    const answer: object = await run(client)
    const { example } = document.paths[path].get.responses['200'].content['application/json']
    const top = (value: unknown) => Object.keys(value as object).filter((name) => !VARY.includes(name))
    expect([path, top(answer).sort()]).toEqual([path, top(example).sort()])
  }
})

test('default: the curl sample of every operation is answered: free with 200, paid with the terms', async () => {
  for (const { path, priceUsd } of Object.values<Operation>(OPERATIONS)) {
    const code = sampleOf(path, 'by curl')
    const { stdout } = await promisify(execFile)('sh', ['-c', `${code} --silent`])
    if (priceUsd === null) expect([path, typeof JSON.parse(stdout)]).toEqual([path, 'object'])
    else
      expect([path, stdout]).toEqual([
        path,
        expect.stringMatching(/^HTTP\/1\.1 402 [\s\S]*payment-required: /i),
      ])
  }
})

test('default: /whales is paid by the command, and for curl through the proxy, as the guide says', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'touchstone-guide-'))
  onTestFinished(() => rm(cwd, { recursive: true, force: true }))
  await writeFile(join(cwd, 'key'), keyAt(WALLET_INDEX.bots[3]), { mode: 0o600 })
  const env = { HOME: cwd, XDG_STATE_HOME: '' }
  // The packages of this repository in place of those that npx would fetch.
  const built = (line: string) =>
    line.replace(
      /npx (-p \S+ )+touchstone/,
      `${process.execPath} ${join(ROOT, 'packages/guard/dist/cli.js')}`,
    )
  const paid = await runLine(built(snippetOf('Paid by the command')), { cwd, env })
  expect([paid.code, paid.output]).toEqual([0, expect.stringContaining('"threshold"')])

  const { host } = new URL(service.url)
  const proxy = startLine(`${built(snippetOf('Start of the proxy'))} --port 0 --allow-host ${host}`, {
    cwd,
    env,
  })
  onTestFinished(async () => void (await proxy.interrupt('SIGTERM')))
  const [, address = ''] = await proxy.said(/^Listening on (http\S+),/m)
  const [, file = ''] = await proxy.said(/^Task research: \$2\.00, token in (\S+)$/m)
  const line = snippetOf('Paid through the proxy').replace('http://127.0.0.1:4402', address)
  const answer = await runLine(`${line} --silent`, {
    cwd,
    env: { ...env, TOKEN: await readFile(file, 'utf8') },
  })
  expect(answer.output).toContain('"threshold"')
})
