import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { budgetLimits } from '../../decide/budget.ts'
import { parsePolicy } from '../../decide/policySchema.ts'
import { createEvent } from '../../events.ts'
import { createGuard } from '../../integrations/createGuard.ts'
import type { Reservation } from '../../ledger/ledger.ts'
import { createCountingAccount, STOCK_CLIENTS } from '../../testing/clients.ts'
import { NO_STREAMS } from '../../testing/noStreams.ts'
import { aProof, aRequest } from '../../testing/requests.ts'
import { HONEST, startSeller } from '../../testing/seller.ts'
import { startService, termOf, USDC } from '../../testing/service.ts'
import type { PaymentIntent } from '../../types.ts'
import { createFileLedger, type FileLedger } from '../fileLedger.ts'
import { run } from './run.ts'

const limits = budgetLimits(
  parsePolicy({ maxPerPaymentUsd: '9', maxPerDayUsd: '9', maxPerHostPerDayUsd: '9' }),
)
const BEGIN = Date.UTC(2026, 10, 1)
const HEADER = 'time,host,task,amountUsd,network,asset,receiver,transaction,verdict,state,id\r\n'
let folder: string
let path: string
let ledger: FileLedger

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'export-'))
  path = join(folder, 'spending.jsonl')
  ledger = await createFileLedger(path)
})
afterEach(async () => {
  await ledger.close()
  await rm(folder, { recursive: true })
})

async function cli(...line: string[]) {
  const [out, err]: [string[], string[]] = [[], []]
  const io = {
    ...NO_STREAMS,
    env: {},
    fetch,
    out: (text: string) => out.push(`${text}\n`),
    err: (text: string) => err.push(text),
  }
  const code = await run(['ledger', 'export', ...line], io)
  return { code, out: out.join(''), err: err.join('\n') }
}

/** Exports as JSON. */
async function list(...line: string[]) {
  const { payments } = JSON.parse((await cli(path, '--json', ...line)).out)
  return payments as Record<string, string | null>[]
}

async function reserve(change: Partial<Reservation> = {}): Promise<string> {
  const result = await ledger.reserve(aRequest({ at: BEGIN, ...change }), limits)
  if (!result.ok) throw new Error(result.code)
  return result.id
}

/** Notes the decision on a payment as the guard does. */
function decide(paymentId: string, verdict: 'safe' | 'caution'): void {
  const intent = { ...aRequest(), method: 'GET' } as unknown as PaymentIntent
  ledger.note(createEvent({ type: 'allowed', intent, paymentId, verdict: { verdict } as never }, BEGIN))
}

describe('ledger export', () => {
  test('default: lists a payment of a guard with its task, its settlement and the verdict at the time', async () => {
    const service = await startService()
    const seller = await startSeller()
    onTestFinished(async () => {
      await service.stop()
      await seller.stop()
    })
    const url = `${seller.url}/weather`
    const terms = [termOf(HONEST, '10000')]
    service.decisions.set(url, { verdict: 'safe', receiverStability: 'stable', probes: 9, terms })
    const guard = createGuard({ service: { url: service.url }, ledger })
    const pay = STOCK_CLIENTS['@x402/fetch'](
      guard.task('report', { maxUsd: '1' }).fetch(),
      createCountingAccount().account,
    )
    await (await pay(url)).text()
    service.decisions.set(url, { verdict: 'avoid', riskLevel: 'high' })
    expect(await list()).toEqual([
      {
        time: expect.stringMatching(/^20\d\d-.*Z$/),
        host: new URL(url).host,
        task: 'report',
        amountUsd: '0.01',
        network: 'eip155:8453',
        asset: USDC,
        receiver: HONEST,
        transaction: `0x${'ab'.repeat(32)}`,
        verdict: 'safe',
        state: 'settled',
        id: expect.any(String),
      },
    ])
  })

  test('behavior: writes RFC 4180 with exact amounts, and no cell that a spreadsheet runs', async () => {
    const task = '=HYPERLINK("https://evil.example","a, b")'
    const id = await reserve({ host: '@SUM(1+1)\n', task, usdMicros: 1n, payTo: '-1+1' })
    await ledger.update(id, { state: 'sent', authorization: null })
    await ledger.update(id, { state: 'settled', by: 'seller', transaction: '\t=1' })
    const other = await reserve({ at: BEGIN + 1, host: 'a.example', usdMicros: 1_234_567n, task: '+1' })
    expect((await cli(path, '--csv')).out).toBe(
      [
        HEADER,
        `2026-11-01T00:00:00.000Z,"'@SUM(1+1)\n","'=HYPERLINK(""https://evil.example"",""a, b"")",0.000001,`,
        `eip155:8453,0xAA,'-1+1,'\t=1,,settled,${id}\r\n`,
        `2026-11-01T00:00:00.001Z,a.example,'+1,1.234567,eip155:8453,0xAA,0x01,,,reserved,${other}\r\n`,
      ].join(''),
    )
    // Programs read the values as they are.
    expect(await list()).toMatchObject([{ host: '@SUM(1+1)\n', task }, {}])
  })

  test('behavior: tells what settled from what may have, and from what cost nothing', async () => {
    const ids = [await reserve(), await reserve(), await reserve(), await reserve()]
    const [, sent = '', unknown = '', released = ''] = ids
    await ledger.update(sent, { state: 'sent', authorization: null })
    await ledger.update(unknown, { state: 'sent', authorization: null })
    await ledger.update(unknown, { state: 'unknown' })
    await ledger.update(released, { state: 'unsigned' })
    const upto = await reserve({ scheme: 'upto' })
    await ledger.update(upto, { state: 'settled', by: 'seller', transaction: null })
    const states = async () => (await list()).map(({ state, amountUsd }) => `${state} ${amountUsd}`)
    const before = ['reserved 0.01', 'sent 0.01', 'unresolved 0.01', 'released 0.01']
    expect(await states()).toEqual([...before, 'unresolved 0.01'])
    await ledger.update(upto, {
      state: 'settled',
      by: 'chain',
      transaction: '0x1',
      amountAtomic: '4000',
      proof: aProof(0),
    })
    expect(await states()).toEqual([...before, 'settled 0.004'])
  })

  test('behavior: counts each payment of a rotated ledger once, in its last state', async () => {
    const first = await reserve()
    await ledger.compact()
    decide(first, 'caution')
    await ledger.update(first, { state: 'settled', by: 'seller', transaction: '0x1' })
    // The next one makes the first too old for the ledger to remember.
    const second = await reserve({ at: BEGIN + 3 * 86_400_000 })
    decide(second, 'safe')
    await ledger.compact()
    expect(await list()).toMatchObject([
      { id: first, state: 'settled', verdict: 'caution', transaction: '0x1' },
      { id: second, state: 'reserved', verdict: 'safe' },
    ])
    await rm(path)
    await rm(`${path}.1`)
    expect(await list()).toMatchObject([{ id: second, verdict: null }])
  })

  test('behavior: gives each of several payments on equal terms its own verdict', async () => {
    const [one = '', other = '', last = ''] = [await reserve(), await reserve(), await reserve()]
    decide(last, 'caution')
    decide(one, 'safe')
    decide('of another ledger', 'safe')
    expect((await list()).map(({ id, verdict }) => [id, verdict])).toEqual([
      [one, 'safe'],
      [other, null],
      [last, 'caution'],
    ])
  })

  test('behavior: --from is included and --to is not, as days or times', async () => {
    for (const at of [BEGIN - 1, BEGIN, BEGIN + 86_400_000]) await reserve({ at })
    const count = async (...line: string[]) => (await list(...line)).length
    expect(await count('--from', '2026-11-01')).toBe(2)
    expect(await count('--to', '2026-11-01')).toBe(1)
    expect(await count('--from', '2026-11-01', '--to', '2026-11-02')).toBe(1)
    expect(await count('--from', '2026-11-01T00:00:00.001Z')).toBe(1)
    expect((await cli(path, '--to', '2020-01-01')).out).toBe(HEADER)
  })

  test.each(['2026-02-30', '2026-11', '1', 'yesterday', '2026-11-01T25:00:00Z', '2026-11-01T12:00:00+02:00'])(
    'error: --from %s is no time',
    async (time) => {
      const { code, out, err } = await cli(path, '--from', time)
      expect([code, out, err]).toEqual([64, '', expect.stringContaining(`--from: expected 2026-11-01 or`)])
    },
  )

  test('error: refuses two formats, an empty span, a broken ledger and a database', async () => {
    await reserve()
    expect(await cli()).toEqual({
      code: 64,
      out: '',
      err: 'ledger export needs <ledger>: file of the ledger; that of an account is ~/.local/state/touchstone/<account>/spending.jsonl',
    })
    expect((await cli(path, '--csv', '--json')).err).toBe('Give --csv or --json, not both.')
    expect((await cli(path, '--from', '2026-11-02', '--to', '2026-11-02')).code).toBe(64)
    expect((await cli('postgres://localhost/x')).err).toContain('give a ledger file')
    expect((await cli(join(folder, 'none.jsonl'))).code).toBe(64)
    await reserve()
    await writeFile(path, (await readFile(path, 'utf8')).replace('"task":null', '"task":"x"'))
    expect((await cli(path)).err).toContain('The ledger is broken')
  })
})
