import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeBase64Json } from '@touchstone402/shared'
import { beforeEach, expect, test } from 'vitest'
import { listen } from './http/testing/listen.ts'
import { listUnsafe, type OpenedAction, openAction } from './http/testing/openAction.ts'

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const RECEIVER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

let opened: OpenedAction
let folder: string

beforeEach(async () => {
  opened = await openAction('action.yml', '@touchstone402/guard', 'packages/guard/bin/touchstone.js')
  folder = opened.folder
  return opened.close
})

const runAction = (given: Record<string, string>) => opened.run(given)

/** Serves a seller whose offer has these changes. Returns the URL of its endpoint. */
async function serveSeller(change: object = {}): Promise<string> {
  const origin = await listen((request, response) => {
    const offer = {
      scheme: 'exact',
      network: 'eip155:8453',
      asset: USDC,
      amount: '10000',
      payTo: RECEIVER,
      maxTimeoutSeconds: 60,
      extra: { name: 'USD Coin', version: '2' },
    }
    const challenge = {
      x402Version: 2,
      resource: { url: `http://${request.headers.host}/paid` },
      accepts: [{ ...offer, ...change }],
      extensions: { bazaar: { info: { input: { type: 'http' }, output: { example: {} } } } },
    }
    response.writeHead(402, { 'payment-required': encodeBase64Json(challenge) }).end('{}')
  })
  return `${origin}/paid`
}

test('default: an endpoint without faults passes, and SARIF is written', async () => {
  const url = await serveSeller()
  expect(await runAction({ url, 'fail-on': 'info' })).toEqual({ code: 0, log: '' })
  const sarif = JSON.parse(await readFile(join(folder, 'touchstone-scan.sarif'), 'utf8'))
  expect([sarif.version, sarif.runs[0].results]).toEqual(['2.1.0', []])
  expect(await readFile(join(folder, 'output'), 'utf8')).toBe('sarif=touchstone-scan.sarif\nfindings=0\n')
})

test('behavior: findings are annotated, and fail the step from their severity on', async () => {
  const url = await serveSeller({ payTo: USDC, maxTimeoutSeconds: 86_400 })
  const failed = await runAction({ url })
  expect(failed.code).toBe(1)
  expect(failed.log).toMatch(
    /^::error file=README\.md,line=1,title=receiver_unverified::http.* cannot be paid\. /m,
  )
  expect(failed.log).toMatch(/^::warning file=README\.md,line=1,title=timeout_strange::/m)
  expect((await runAction({ url, 'fail-on': 'never' })).code).toBe(0)

  const slow = await serveSeller({ maxTimeoutSeconds: 86_400 })
  expect((await runAction({ url: slow })).code).toBe(0)
  const strict = await runAction({ url: slow, 'fail-on': 'warn', file: 'a:b,c.md' })
  expect([strict.code, strict.log]).toEqual([1, expect.stringContaining('file=a%3Ab%2Cc.md,')])
})

test('behavior: says how many checks were not made, and why', async () => {
  const origin = await listen((_, response) => response.end('free'))
  const { code, log } = await runAction({ url: `${origin}/free` })
  expect([code, log]).toEqual([
    1,
    expect.stringMatching(/^::notice::http.*: Not tested: 19, because no terms were read$/m),
  ])
})

test('error: inputs are no shell, and a scan that did not run fails', async () => {
  const harmless = await runAction({ url: 'https://$(touch pwned)"; touch pwned; echo "' })
  expect(harmless).toMatchObject({ code: 1, log: expect.stringContaining('::error::The scan did not run') })
  await expect(readFile(join(folder, 'pwned'))).rejects.toThrow('ENOENT')
  expect(await runAction({ url: '--version' })).toMatchObject({ code: 1 })
  const url = await serveSeller()
  expect(await runAction({ url, version: '0.0.1' })).toMatchObject({ code: 1 })
  const wrong = await runAction({ url, 'fail-on': 'sometimes' })
  expect(wrong).toEqual({ code: 1, log: '::error::fail-on: expected critical, warn, info or never.\n' })
})

test('error: no .npmrc and no setting of a pull request says where the code comes from', async () => {
  const evil = 'http://evil.example/'
  await writeFile(join(folder, '.npmrc'), `registry=${evil}\n@touchstone402:registry=${evil}\n`)
  const env = { npm_config_registry: evil, NPM_CONFIG_USERCONFIG: join(folder, '.npmrc') }
  expect(await opened.run({ url: await serveSeller() }, env)).toMatchObject({ code: 0 })
  const own = 'https://registry.npmjs.org/'
  expect(await readFile(join(folder, 'registries'), 'utf8')).toBe(`${own}\n${own}\n`)
  expect(await readFile(join(folder, 'seen'), 'utf8')).toBe('global\npackage.json\nuser\n')
})

test('behavior: every input is described, and used by a step through its environment alone', () => {
  expect(listUnsafe(opened.action)).toEqual([])
})
