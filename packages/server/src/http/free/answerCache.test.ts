import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { type CachedAnswer, createAnswerCache } from './answerCache.ts'
import { createJsonRepresentation } from './representation.ts'
import { readyAnswer } from './sendAnswer.ts'

const NOW = Date.parse('2026-01-31T12:00:10Z')
const representation = createJsonRepresentation('{"advice":"none"')

// A text of its own, and no part of one that others hold too.
const text = (value: string) => Buffer.from(value, 'latin1').toString('latin1')

function ageing(number: number): CachedAnswer {
  return {
    target: text(`/verify?endpoint=http%3A%2F%2Fa.example%2F${number}`),
    route: '/verify',
    representation,
    ending: () => ({
      text: text(`,"cacheAgeHours":${number}}`),
      tag: number.toString(36),
      until: NOW + 60_000,
    }),
    sent: undefined,
    askedAt: 0,
    maxAgeSeconds: 60,
    expiresAt: undefined,
    heldUntil: NOW + 60_000,
    isCurrent: () => true,
  }
}

/** Asks for it as often as it takes for it to be kept as it was sent. */
function askOften(answer: CachedAnswer): void {
  for (let call = 0; call < 3; call++) readyAnswer(answer, undefined, NOW)
  const { sent } = answer
  if (sent === undefined) throw new Error('it is not kept')
  sent.head = text(sent.outgoing.headers.join(': \r\n'))
}

test('behavior: answers that are asked for often take no more memory than is allowed', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const heapBytes = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const maxBytes = 8 * 1024 * 1024
  const before = heapBytes()
  const cache = createAnswerCache({ now: () => NOW, maxBytes })
  const last = 12_000
  for (let number = 0; number <= last; number++) {
    const answer = ageing(number)
    cache.put(answer)
    askOften(answer)
  }
  const held = heapBytes() - before
  expect(cache.get(ageing(last).target)).toBeDefined()
  expect(held).toBeLessThan(maxBytes)
})
