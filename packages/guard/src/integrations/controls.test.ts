import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isGuardError } from '../errors.ts'
import { createMemoryLedger } from '../ledger/journal.ts'
import { createFileLedger } from '../node/fileLedger.ts'
import { createCountingAccount } from '../testing/clients.ts'
import { useHarness } from '../testing/harness.ts'
import { THIEF } from '../testing/seller.ts'
import { createGuardedFetch } from './createGuardedFetch.ts'

const harness = useHarness('@x402/fetch')

const codeOf = (call: Promise<Response>) =>
  call.then(
    ({ status }) => status,
    (error: unknown) => (isGuardError(error) ? error.code : error),
  )

function setUp(options: Parameters<typeof harness.setUp>[0] = {}) {
  const { guard } = harness.setUp(options)
  const { account, counter } = createCountingAccount()
  const pay = createGuardedFetch({ account, guard })
  return { guard, account, counter, pay, url: `${harness.seller.url}/weather` }
}

describe('caps', () => {
  test('default: maxUsd limits one call', async () => {
    harness.know()
    const { pay, counter, url } = setUp()
    expect(await codeOf(pay(url, { maxUsd: '0.009' }))).toBe('OVER_CALL_LIMIT')
    expect(counter.signatures).toBe(0)
    expect(await codeOf(pay(url, { maxUsd: '0.01' }))).toBe(200)
    expect(await codeOf(pay(url))).toBe(200)
  })

  test('default: a task has a budget that guards of one ledger share', async () => {
    harness.know()
    const ledger = createMemoryLedger()
    const [first, second] = [setUp({ ledger }), setUp({ ledger })]
    const tasks = [first, second].map(({ guard, account }) =>
      createGuardedFetch({ account, guard: guard.task('report', { maxUsd: '0.02' }) }),
    )
    expect(await codeOf(tasks[0]?.(first.url) as Promise<Response>)).toBe(200)
    expect(await codeOf(tasks[1]?.(first.url) as Promise<Response>)).toBe(200)
    expect(await codeOf(tasks[0]?.(first.url) as Promise<Response>)).toBe('OVER_TASK_LIMIT')
    expect(await codeOf(first.pay(first.url))).toBe(200)
    const { task, day } = await first.guard.task('report', { maxUsd: '0.02' }).budget()
    expect(task).toMatchObject({ name: 'report', spentUsd: '0.02', remainingUsd: '0' })
    expect(day.spentUsd).toBe('0.03')
  })

  test('error: refuses invalid amounts, names and nested tasks', async () => {
    const { guard, pay, url } = setUp()
    await expect(pay(url, { maxUsd: '-1' })).rejects.toThrow('maxUsd: expected dollars')
    const endless = pay(url, { maxUsd: Number.POSITIVE_INFINITY as never })
    await expect(endless).rejects.toThrow('got the number Infinity')
    expect(() => guard.task('a', { maxUsd: 'x' })).toThrow('maxUsd: expected dollars')
    expect(() => guard.task('', { maxUsd: '1' })).toThrow('task: expected a name')
    expect(() => guard.task('a', { maxUsd: '1' }).task('b', { maxUsd: '2' })).toThrow('cannot be nested')
  })

  test('default: a receiver has a budget over all hosts', async () => {
    harness.know()
    const { pay, url } = setUp({ policy: { maxPerReceiverPerDayUsd: '0.01' } })
    expect(await codeOf(pay(url))).toBe(200)
    expect(await codeOf(pay(url))).toBe('OVER_RECEIVER_DAY_LIMIT')
  })
})

describe('endpoints without a full verdict', () => {
  test('behavior: cost at most the budget of their domain, whatever the path', async () => {
    const { pay, counter, guard } = setUp({ policy: { velocity: { perHostPerMinute: 1000 } } })
    const codes: unknown[] = []
    for (let index = 0; index < 12; index++) codes.push(await codeOf(pay(`${harness.seller.url}/${index}`)))
    expect(codes.filter((code) => code === 200)).toHaveLength(10)
    expect(codes.slice(10)).toEqual(['OVER_UNKNOWN_DOMAIN_LIMIT', 'OVER_UNKNOWN_DOMAIN_LIMIT'])
    expect(counter.signatures).toBe(10)
    const { unknown, unknownDomains } = await guard.budget()
    expect(unknown).toMatchObject({ spentUsd: '0.1', remainingUsd: '0.4' })
    expect(unknownDomains['127.0.0.1']).toMatchObject({ limitUsd: '0.1', remainingUsd: '0' })
  })

  test('behavior: a full verdict is not bound by it', async () => {
    harness.know()
    const { pay, url } = setUp({ policy: { onUnknown: { maxPerDayUsd: '0', maxPerDomainPerDayUsd: '0' } } })
    expect(await codeOf(pay(url))).toBe(200)
    expect(await codeOf(pay(`${harness.seller.url}/other`))).toBe('OVER_UNKNOWN_DOMAIN_LIMIT')
  })
})

describe('the kill switch', () => {
  test('default: stops and resumes payments of every guard on the ledger', async () => {
    harness.know()
    const ledger = createMemoryLedger()
    const [first, second] = [setUp({ ledger }), setUp({ ledger })]
    await first.guard.stop()
    expect(await codeOf(second.pay(second.url))).toBe('STOPPED')
    expect((await second.guard.budget()).isStopped).toBe(true)
    await second.guard.resume()
    expect(await codeOf(first.pay(first.url))).toBe(200)
    expect([first.counter.signatures, second.counter.signatures]).toEqual([1, 0])
  })

  test('behavior: a file STOP beside the ledger stops a payment that is approved already', async () => {
    harness.know()
    const directory = await mkdtemp(join(tmpdir(), 'stop-'))
    const ledger = await createFileLedger(join(directory, 'ledger.jsonl'))
    const { guard, account, counter, url } = setUp({ ledger })
    const approved = await fetch(url)
    await guard.approve({ url, headers: approved.headers, body: await approved.text() })
    await writeFile(join(directory, 'STOP'), '')
    const signing = guard.account(account).signTypedData({
      primaryType: 'TransferWithAuthorization',
      domain: {},
      types: {},
      message: {},
    })
    await expect(signing).rejects.toThrow()
    expect(await codeOf(createGuardedFetch({ account, guard })(`${url}?other`))).toBe('STOPPED')
    expect(counter.signatures).toBe(0)
    expect(ledger.totals().usdMicros).toBe(10_000n)
    await ledger.close()
    await rm(directory, { recursive: true })
  })

  test('behavior: stops between the approval and the signature', async () => {
    harness.know()
    const { guard, counter, pay, url } = setUp({
      onDecision: ({ type }) => {
        if (type === 'allowed') void guard.stop()
      },
    })
    await expect(pay(url)).rejects.toThrow('Payments are stopped.')
    expect(counter.signatures).toBe(0)
  })
})

describe('strikes and pins', () => {
  test('default: are listed and cleared by host', async () => {
    harness.know()
    harness.seller.character = { onPaid: (_, response) => void response.writeHead(500).end() }
    const { guard, pay, url } = setUp()
    await codeOf(pay(url))
    const host = new URL(url).host
    expect(await guard.strikes()).toEqual([{ endpoint: url, at: [expect.any(Number)] }])
    harness.seller.character = {}
    expect(await codeOf(pay(`${url}?other`))).toBe('NO_DELIVERY_STRIKE')
    await guard.clearStrike('other.example')
    expect(await guard.strikes()).toHaveLength(1)
    await guard.clearStrike(host)
    expect(await guard.strikes()).toEqual([])
    expect(await codeOf(pay(`${url}?other`))).toBe(200)
    expect(await guard.pins()).toMatchObject([{ endpoint: url }])
    await guard.clearPin(host)
    expect(await guard.pins()).toEqual([])
  })

  test('behavior: a cleared pin allows another receiver at an unchecked endpoint', async () => {
    const { guard, pay, url } = setUp()
    expect(await codeOf(pay(url))).toBe(200)
    harness.seller.character = { terms: [{ payTo: THIEF }] }
    expect(await codeOf(pay(url))).toBe('RECEIVER_PIN_MISMATCH')
    await guard.clearPin(new URL(url).host)
    expect(await codeOf(pay(url))).toBe(200)
  })
})
