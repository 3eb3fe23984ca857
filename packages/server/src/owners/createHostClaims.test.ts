import { expect, test } from 'vitest'
import { DAY, HOUR } from '../facts/times.ts'
import { openClaimed } from '../site/testing/openClaimed.ts'
import { claimFileUrl, createHostClaims, watchClaims } from './createHostClaims.ts'

const never = new AbortController().signal

/** A host that is claimed by its file. */
async function openFile() {
  const opened = await openClaimed()
  const { secret, file } = await opened.read()
  const token = file.line
  opened.publish(token)
  await opened.claim({ method: 'file', secret })
  const methods = async () => (await opened.claims.of(opened.host)).map(({ method }) => method)
  const nextDay = () => {
    opened.conduct.now += DAY
    return opened.claims.checkDue(never)
  }
  return { ...opened, secret, token, methods, nextDay }
}

test('default: a claim is checked once a day, and keeps the time of its start', async () => {
  const { claims, conduct, nextDay, host } = await openFile()
  const [before] = await claims.of(host)
  conduct.asked.length = 0
  conduct.now += DAY - 1
  expect(await claims.checkDue(never)).toEqual({ checked: 0, lapsed: 0 })
  conduct.now += 1
  expect(await claims.checkDue(never)).toEqual({ checked: 1, lapsed: 0 })
  expect(conduct.asked).toHaveLength(1)
  expect(await claims.checkDue(never)).toEqual({ checked: 0, lapsed: 0 })
  for (let days = 0; days < 60; days++) expect((await nextDay()).checked).toBe(1)
  expect(await claims.of(host)).toEqual([{ ...before, checkedAt: conduct.now, heldAt: conduct.now }])
})

test('behavior: a claim lapses at the third check in a row that fails', async () => {
  const { publish, token, nextDay, methods, claims, host, secret } = await openFile()
  publish('gone')
  expect(await nextDay()).toEqual({ checked: 1, lapsed: 0 })
  expect(await nextDay()).toEqual({ checked: 1, lapsed: 0 })
  publish(token)
  expect(await nextDay()).toEqual({ checked: 1, lapsed: 0 })
  publish('gone again')
  await nextDay()
  await nextDay()
  expect(await claims.heldBy(host, secret)).toMatchObject({ failures: 2 })
  expect(await nextDay()).toEqual({ checked: 1, lapsed: 1 })
  expect(await methods()).toEqual([])
  expect(await claims.heldBy(host, secret)).toBeUndefined()
  expect(await nextDay()).toEqual({ checked: 0, lapsed: 0 })
})

test('behavior: a claim by signature of an earlier version is no claim, and is not checked', async () => {
  const { claims, host, store, methods, conduct, nextDay, secret } = await openFile()
  const [known] = await claims.of(host)
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
  expect(await claims.heldBy(host, secret)).toMatchObject({ method: 'file' })
})

test('behavior: faults on our side do not count, but nothing is claimed for ever unchecked', async () => {
  const { store, clock, conduct, methods } = await openFile()
  const ours = { ok: false, code: 'own_fault', message: 'could not be read', isOurs: true } as const
  const reader = { file: async () => ours, txt: async () => ours }
  const deps = { documents: store, reader, clock, developmentHosts: [], onEnded: async () => {} }
  const blind = createHostClaims({ ...deps, publicUrl: 'https://touchstone.example' })
  for (let days = 0; days < 29; days++) {
    conduct.now += DAY
    expect(await blind.checkDue(never)).toEqual({ checked: 1, lapsed: 0 })
  }
  expect(await methods()).toEqual(['file'])
  conduct.now += DAY
  expect(await methods()).toEqual([])
})

test('behavior: a second claimant with the file takes the place of the first', async () => {
  const { claims, claim, read, publish, host, secret, conduct } = await openFile()
  const second = await read()
  publish(second.file.line)
  conduct.now += HOUR
  expect((await claim({ method: 'file', secret: second.secret })).status).toBe(200)
  expect(await claims.of(host)).toMatchObject([{ since: conduct.now, token: second.file.line }])
  expect(await claims.heldBy(host, secret)).toBeUndefined()
})

test('behavior: the leader checks without being asked', async () => {
  const { clock, conduct, claims, publish, methods } = await openFile()
  publish('gone')
  const ending = new AbortController()
  const sleep = async () => {
    conduct.now += HOUR
    if ((await methods()).length === 0) ending.abort()
  }
  const lapsed: number[] = []
  await watchClaims(
    claims,
    {
      clock: { ...clock, hold: () => () => {}, sleep },
      onLapsed: (count) => lapsed.push(count),
      onError: (error) => expect.unreachable(String(error)),
    },
    ending.signal,
  )
  expect(lapsed).toEqual([1])
})

test('behavior: the file is read over HTTPS, except in development', async () => {
  const urlOf = (host: string, ...developmentHosts: string[]) => claimFileUrl({ developmentHosts }, host)
  expect(urlOf('shop.test:81')).toBe('https://shop.test:81/.well-known/touchstone.txt')
  expect(urlOf('shop.localhost:81')).toMatch(/^https:/)
  expect(urlOf('shop.test:81', 'shop.test:82', '127.0.0.1')).toMatch(/^https:/)
  expect(urlOf('shop.test:81', 'shop.test:81')).toBe('http://shop.test:81/.well-known/touchstone.txt')
  expect(urlOf('shop.localhost:81', '127.0.0.1:81')).toMatch(/^http:/)
})
