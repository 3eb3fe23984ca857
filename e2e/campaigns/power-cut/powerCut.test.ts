import { seededRandom } from '@touchstone402/shared/testing'
import { expect, test } from 'vitest'
import { checksNoAnswers } from '../../contract/checksNoAnswers.ts'
import { acknowledgedBefore, cutPower } from './cutPower.ts'
import { readDiskEvents } from './readDiskEvents.ts'
import { readTrace } from './readTrace.ts'

checksNoAnswers('it replays made-up traces')

const hex = (text: string) =>
  [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
const quoted = (text: string) => `"${hex(text)}"`
const fd = (number: number, path: string) => `${number}<${hex(path)}>`
const opened = (path: string, flags: string, number: number) =>
  `9 openat(AT_FDCWD<${hex('/')}>, ${quoted(path)}, ${flags}, 0644) = ${fd(number, path)}`
const write = (number: number, text: string) =>
  `9 write(${fd(number, '/d/a')}, ${quoted(text)}, ${text.length}) = ${text.length}`

const events = (lines: readonly string[]) => readDiskEvents(readTrace(lines.join('\n')), '/d')

/** All images of many cuts at one place, as text by path. */
function imagesOf(lines: readonly string[], before?: number): Set<string> {
  const found = events(lines)
  const random = seededRandom(7)
  const images = Array.from({ length: 500 }, () => {
    const { files } = cutPower(found, before ?? found.length, random)
    return JSON.stringify(Object.fromEntries([...files].map(([path, data]) => [path, data.toString()])))
  })
  return new Set(images)
}

test('default: what was synced is there, what was not is there in part', () => {
  const trace = [
    opened('/d/a', 'O_WRONLY|O_CREAT|O_TRUNC', 5),
    write(5, 'ab'),
    `9 fdatasync(${fd(5, '/d/a')}) = 0`,
    write(5, 'xy'),
  ]
  expect(imagesOf(trace)).toEqual(
    new Set(['ab', 'abx', 'abxy', 'ab\0', 'ab\0\0'].map((text) => JSON.stringify({ '/d/a': text }))),
  )
})

test('behavior: a write that began before a sync but ended during it may be lost', () => {
  const trace = [
    opened('/d/a', 'O_WRONLY|O_CREAT', 5),
    `8 fdatasync(${fd(5, '/d/a')} <unfinished ...>`,
    write(5, 'x'),
    '8 <... fdatasync resumed>) = 0',
  ]
  expect(imagesOf(trace)).toContain('{"/d/a":""}')
})

test('behavior: a rename is there or not, with the content that was synced before', () => {
  const trace = [
    opened('/d/b', 'O_WRONLY|O_CREAT', 5),
    write(5, 'old'),
    `9 fsync(${fd(5, '/d/b')}) = 0`,
    `9 close(${fd(5, '/d/b')}) = 0`,
    opened('/d/a', 'O_WRONLY|O_CREAT', 5),
    write(5, 'new'),
    `9 fsync(${fd(5, '/d/a')}) = 0`,
    `9 rename(${quoted('/d/a')}, ${quoted('/d/b')}) = 0`,
  ]
  expect(imagesOf(trace)).toEqual(new Set(['{"/d/b":"old","/d/a":"new"}', '{"/d/b":"new"}']))
})

test('behavior: a second name is there or not, and outlives the first', () => {
  const trace = [
    opened('/d/a', 'O_WRONLY|O_CREAT', 5),
    write(5, 'new'),
    `9 fsync(${fd(5, '/d/a')}) = 0`,
    `9 link(${quoted('/d/a')}, ${quoted('/d/b')}) = 0`,
    `9 unlink(${quoted('/d/a')}) = 0`,
  ]
  expect(imagesOf(trace)).toEqual(
    new Set(['{"/d/a":"new"}', '{"/d/a":"new","/d/b":"new"}', '{"/d/b":"new"}']),
  )
})

test('behavior: a sync of another file makes earlier names durable, but not their content', () => {
  const trace = [
    opened('/d/a', 'O_WRONLY|O_CREAT', 5),
    write(5, 'x'),
    opened('/d/b', 'O_WRONLY|O_CREAT', 6),
    `9 fsync(${fd(6, '/d/b')}) = 0`,
    `9 unlink(${quoted('/d/b')}) = 0`,
  ]
  expect(imagesOf(trace)).toEqual(
    new Set([
      '{"/d/a":"","/d/b":""}',
      '{"/d/a":"x","/d/b":""}',
      '{"/d/a":"\\u0000","/d/b":""}',
      '{"/d/a":""}',
      '{"/d/a":"x"}',
      '{"/d/a":"\\u0000"}',
    ]),
  )
})

test('behavior: appends, writes at an offset and truncates as the process did', () => {
  const trace = [
    opened('/d/a', 'O_WRONLY|O_CREAT', 5),
    write(5, 'abcdef'),
    `9 pwrite64(${fd(5, '/d/a')}, ${quoted('XY')}, 2, 1) = 2`,
    `9 ftruncate(${fd(5, '/d/a')}, 4) = 0`,
    `9 close(${fd(5, '/d/a')}) = 0`,
    opened('/d/a', 'O_WRONLY|O_CREAT|O_APPEND', 5),
    write(5, 'g'),
    opened('/elsewhere', 'O_WRONLY|O_CREAT', 6),
    write(6, 'not ours'),
    `9 fsync(${fd(5, '/d/a')}) = 0`,
    `9 unlink(${quoted('/d/none')}) = -1 ENOENT (No such file or directory)`,
  ]
  expect(imagesOf(trace)).toEqual(new Set(['{"/d/a":"aXYdg"}']))
})

test('behavior: acknowledgements are ordered among the changes', () => {
  const trace = [opened('/d/a', 'O_WRONLY|O_CREAT', 5), write(1, 'ack 1\nack 2\n'), write(5, 'x')]
  const found = events(trace)
  expect(acknowledgedBefore(found, 1)).toEqual([])
  expect(acknowledgedBefore(found, found.length)).toEqual(['1', '2'])
})
