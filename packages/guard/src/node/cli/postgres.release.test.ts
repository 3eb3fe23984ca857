import { afterAll, beforeAll, expect, test } from 'vitest'
import { usePostgres } from '../../../../server/src/store/testing/usePostgres.ts'
import { NO_STREAMS } from '../../testing/noStreams.ts'
import { HONEST, startSeller, type TestSeller } from '../../testing/seller.ts'
import { startService, type TestService, termOf } from '../../testing/service.ts'
import { run } from './run.ts'

const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const emptyDatabase = usePostgres()
let service: TestService
let seller: TestSeller

beforeAll(async () => {
  service = await startService()
  seller = await startSeller()
  const terms = [termOf(HONEST, '10000')]
  const verdict = { verdict: 'safe', receiverStability: 'stable', probes: 9, terms } as const
  service.decisions.set(`${seller.url}/weather`, verdict)
})
afterAll(async () => {
  await seller.stop()
  await service.stop()
})

async function cli(...line: string[]) {
  const lines: string[] = []
  const print = (text: string) => void lines.push(text)
  const env = { TOUCHSTONE_URL: service.url, PRIVATE_KEY: KEY }
  const code = await run(line, { ...NO_STREAMS, out: print, err: print, env, fetch })
  return { code, text: lines.join('\n') }
}

test('default: the commands of spending work on a PostgreSQL ledger and keep its names apart', async () => {
  const url = `${seller.url}/weather`
  const database = emptyDatabase().url
  const at = (name: string) => ['--ledger', `${database}${database.includes('?') ? '&' : '?'}ledger=${name}`]
  expect((await cli('pay', url, ...at('one'))).text).toContain('Paid $0.01')
  expect((await cli('budget', ...at('one'))).text).toContain('Last 24 hours: $0.01 spent of $5')
  expect((await cli('budget', ...at('two'))).text).toContain('Last 24 hours: $0.00 spent of $5.00')
  expect((await cli('pins', ...at('one'))).text).toContain(`${url}: ${HONEST}`)
  expect((await cli('strikes', ...at('one'))).text).toBe('No strikes.')
  expect((await cli('stop', ...at('one'))).code).toBe(0)
  expect((await cli('pay', url, ...at('one'))).text).toContain('STOPPED')
  expect((await cli('pay', url, ...at('two'))).code).toBe(0)
})

test('error: files of a ledger are what verify and compact read', async () => {
  expect(await cli('ledger', 'verify', emptyDatabase().url)).toMatchObject({ code: 64 })
  expect((await cli('ledger', 'compact', emptyDatabase().url)).text).toContain(
    'checked whenever it is opened',
  )
})
