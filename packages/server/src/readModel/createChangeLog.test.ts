import { expect, test } from 'vitest'
import { createChangeLog } from './createChangeLog.ts'

const changed = (host: string, path = '/a', hasNews = false) => ({
  host,
  endpoint: `https://${host}${path}`,
  hasNews,
})

test('default: an endpoint and its host have changed since each revision before the change', () => {
  const log = createChangeLog()
  expect(log.isUnchanged('https://a.example/a', log.revision())).toBe(true)
  const before = log.revision()
  log.note(changed('a.example'))
  const names = ['https://a.example/a', 'a.example', 'https://a.example/b', 'b.example']
  expect(names.map((name) => log.isUnchanged(name, before))).toEqual([false, false, true, true])
  expect(names.map((name) => log.isUnchanged(name, log.revision()))).toEqual([true, true, true, true])
})

test('behavior: feeds have changed only with news, or after unseen changes', () => {
  const log = createChangeLog()
  const before = log.newsRevision()
  log.note(changed('a.example'))
  expect(log.newsRevision()).toBe(before)
  log.note(changed('a.example', '/a', true))
  log.note(null)
  expect(log.newsRevision()).toBe(before + 2)
})

test('behavior: after unseen changes all that was read before has changed', () => {
  const log = createChangeLog()
  const before = log.revision()
  log.note(null)
  expect([log.isUnchanged('a.example', before), log.isUnchanged('a.example', log.revision())]).toEqual([
    false,
    true,
  ])
})

test('behavior: what was read before a forgotten change counts as changed', () => {
  const log = createChangeLog(4)
  log.note(changed('a.example'))
  const read = log.revision()
  log.note(changed('b.example'))
  expect(log.isUnchanged('c.example', read)).toBe(true)
  log.note(changed('c.example'))
  log.note(changed('d.example'))
  expect(log.isUnchanged('e.example', read)).toBe(false)
  expect(log.isUnchanged('e.example', log.revision())).toBe(true)
})

test('behavior: a change that is noted again is kept as its latest', () => {
  const log = createChangeLog(4)
  log.note(changed('a.example'))
  log.note(changed('b.example'))
  log.note(changed('a.example'))
  const before = log.revision() - 1
  log.note(changed('c.example'))
  expect(log.isUnchanged('https://a.example/a', before)).toBe(false)
  expect(log.isUnchanged('https://d.example/a', before)).toBe(true)
})
