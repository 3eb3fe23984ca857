import { expect, test } from 'vitest'
import { createTakenHosts, MOST_PER_HOST } from './takenHosts.ts'

const urlsOf = (host: string, count: number) =>
  Array.from({ length: count }, (_, index) => `https://${host}/${index}`)

test('default: gives hosts in order, each to one worker, and no endpoint twice', () => {
  const taken = createTakenHosts()
  taken.add([...urlsOf('a.example', 2), ...urlsOf('b.example', 1), ...urlsOf('a.example', 1)])
  expect([taken.size(), taken.waiting()]).toEqual([3, 2])
  expect([taken.start(), taken.start(), taken.start()]).toEqual(['a.example', 'b.example', undefined])
  expect([taken.next('a.example'), taken.size()]).toEqual(['https://a.example/0', 2])
  // In progress, so it does not wait again.
  taken.add(['https://a.example/0'])
  expect(taken.waiting()).toBe(0)
  expect(taken.next('a.example')).toBe('https://a.example/1')
  expect(taken.next('a.example')).toBe('https://a.example/0')
  expect(taken.next('a.example')).toBeUndefined()
  taken.add(['https://a.example/0'])
  expect(taken.start()).toBe('a.example')
})

test('behavior: requested hosts come first', () => {
  const taken = createTakenHosts()
  taken.add([...urlsOf('a.example', 1), ...urlsOf('b.example', 1)])
  taken.addFirst('b.example', urlsOf('b.example', 2))
  taken.addFirst('none.example', [])
  expect([taken.start(), taken.start(), taken.start()]).toEqual(['b.example', 'a.example', undefined])
  expect(taken.size()).toBe(3)
})

test('behavior: takes a bounded number of endpoints of one host', () => {
  const taken = createTakenHosts()
  taken.add(urlsOf('a.example', MOST_PER_HOST + 10))
  expect(taken.size()).toBe(MOST_PER_HOST)
})
