import { expect, test } from 'vitest'
import { DAY, HOUR } from '../facts/times.ts'
import type { Log } from '../lib/logging.ts'
import { openClaimed } from '../site/testing/openClaimed.ts'
import { checkDueClaims, claimFileUrl, findClaim, readClaims, watchClaims } from './hostClaims.ts'

const never = new AbortController().signal

/** A host that is claimed by its file. */
async function openFile() {
  const opened = await openClaimed()
  const { secret, file } = await opened.read()
  const token = file.line
  opened.publish(token)
  await opened.claim({ method: 'file', secret })
  const methods = async () => (await readClaims(opened.ctx, opened.host)).map(({ method }) => method)
  const checkDue = () => checkDueClaims(opened.ctx, opened.reader, never)
  const nextDay = () => {
    opened.conduct.now += DAY
    return checkDue()
  }
  const heldNow = () => findClaim(opened.ctx, opened.host, secret)
  const claims = () => readClaims(opened.ctx, opened.host)
  return { ...opened, secret, token, methods, claims, heldNow, checkDue, nextDay }
}

test('default: a claim is checked once a day, and keeps the time of its start', async () => {
  const { claims, conduct, checkDue, nextDay } = await openFile()
  const [before] = await claims()
  conduct.asked.length = 0
  conduct.now += DAY - 1
  expect(await checkDue()).toEqual({ checked: 0, lapsed: 0 })
  conduct.now += 1
  expect(await checkDue()).toEqual({ checked: 1, lapsed: 0 })
  expect(conduct.asked).toHaveLength(1)
  expect(await checkDue()).toEqual({ checked: 0, lapsed: 0 })
  for (let days = 0; days < 60; days++) expect((await nextDay()).checked).toBe(1)
  expect(await claims()).toEqual([{ ...before, checkedAt: conduct.now, heldAt: conduct.now }])
})

test('behavior: a claim lapses at the third check in a row that fails', async () => {
  const { publish, token, nextDay, methods, heldNow } = await openFile()
  publish('gone')
  expect(await nextDay()).toEqual({ checked: 1, lapsed: 0 })
  expect(await nextDay()).toEqual({ checked: 1, lapsed: 0 })
  publish(token)
  expect(await nextDay()).toEqual({ checked: 1, lapsed: 0 })
  publish('gone again')
  await nextDay()
  await nextDay()
  expect(await heldNow()).toMatchObject({ failures: 2 })
  expect(await nextDay()).toEqual({ checked: 1, lapsed: 1 })
  expect(await methods()).toEqual([])
  expect(await heldNow()).toBeUndefined()
  expect(await nextDay()).toEqual({ checked: 0, lapsed: 0 })
})

test('behavior: a claim by signature of an earlier version is no claim, and is not checked', async () => {
  const { claims, heldNow, host, store, methods, conduct, nextDay } = await openFile()
  const [known] = await claims()
  const data = {
    ...known,
    method: 'signature',
    address: `0x${'1'.repeat(40)}`,
    token: 'touchstone-claim=old',
  }
  const expiresAt = conduct.now + 30 * DAY
  await store.write('putDocument', { kind: 'claim', id: `${host}/signature`, expiresAt, data }, conduct.now)
  expect(await methods()).toEqual(['file'])
  expect(await nextDay()).toEqual({ checked: 1, lapsed: 0 })
  expect(await heldNow()).toMatchObject({ method: 'file' })
})

test('behavior: faults on our side do not count, but nothing is claimed for ever unchecked', async () => {
  const { ctx, conduct, methods } = await openFile()
  const ours = { ok: false, code: 'own_fault', message: 'could not be read', isOurs: true } as const
  const reader = { file: async () => ours, txt: async () => ours }
  for (let days = 0; days < 29; days++) {
    conduct.now += DAY
    expect(await checkDueClaims(ctx, reader, never)).toEqual({ checked: 1, lapsed: 0 })
  }
  expect(await methods()).toEqual(['file'])
  conduct.now += DAY
  expect(await methods()).toEqual([])
})

test('behavior: a second claimant with the file takes the place of the first', async () => {
  const { claims, heldNow, claim, read, publish, conduct } = await openFile()
  const second = await read()
  publish(second.file.line)
  conduct.now += HOUR
  expect((await claim({ method: 'file', secret: second.secret })).status).toBe(200)
  expect(await claims()).toMatchObject([{ since: conduct.now, token: second.file.line }])
  expect(await heldNow()).toBeUndefined()
})

test('behavior: the leader checks without being asked', async () => {
  const { ctx, reader, conduct, publish, methods } = await openFile()
  publish('gone')
  const ending = new AbortController()
  const sleep = async () => {
    conduct.now += HOUR
    if ((await methods()).length === 0) ending.abort()
  }
  const logged: unknown[] = []
  const log: Log = (...line) => void logged.push(line)
  await watchClaims({ ...ctx, clock: { ...ctx.clock, sleep }, log }, reader, ending.signal)
  expect(logged).toEqual([['info', '1 host claims lapsed', { event: 'host_claims_lapsed', count: 1 }]])
})

test('behavior: the file is read over HTTPS, except in development', async () => {
  const urlOf = (host: string, ...developmentAllowHosts: string[]) =>
    claimFileUrl({ developmentAllowHosts }, host)
  expect(urlOf('shop.test:81')).toBe('https://shop.test:81/.well-known/touchstone.txt')
  expect(urlOf('shop.localhost:81')).toMatch(/^https:/)
  expect(urlOf('shop.test:81', 'shop.test:82', '127.0.0.1')).toMatch(/^https:/)
  expect(urlOf('shop.test:81', 'shop.test:81')).toBe('http://shop.test:81/.well-known/touchstone.txt')
  expect(urlOf('shop.localhost:81', '127.0.0.1:81')).toMatch(/^http:/)
})
