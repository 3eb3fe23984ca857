import { describe, expect, test } from 'vitest'
import { createReachWitness } from './witnessReach.ts'

const [a, b, c] = [
  { address: '1.1.1.1', place: 'a.test:443' },
  { address: '1.1.1.2', place: 'b.test:443' },
  { address: '1.1.1.3', place: 'c.test:443' },
]

describe('createReachWitness', () => {
  test('default', () => {
    const witness = createReachWitness()
    expect(witness.unanswered(a)).toBe(false)
    witness.opened(b)
    expect(witness.unanswered(a)).toBe(true)
  })

  test('behavior: connections to the same host neither count for it nor hide those to other hosts', () => {
    const witness = createReachWitness()
    witness.opened(a)
    expect(witness.unanswered(a)).toBe(false)
    witness.opened(b)
    witness.opened(a)
    witness.opened(a)
    expect(witness.unanswered(a)).toBe(true)
  })

  test('behavior: an opened connection counts for ten minutes', () => {
    let at = 0
    const witness = createReachWitness(() => at)
    witness.opened(b)
    at = 600_000
    expect(witness.unanswered(a)).toBe(true)
    at++
    expect(witness.unanswered(a)).toBe(false)
  })

  test.each([
    ['another family', '2606:4700::1111'],
    ['a private network', '127.0.0.1'],
  ])('behavior: a connection over %s does not count', (_, address) => {
    const witness = createReachWitness()
    witness.opened({ address, place: 'b.test:443' })
    expect(witness.unanswered(a)).toBe(false)
    expect(witness.unanswered({ address, place: 'a.test:443' })).toBe(true)
  })

  test('behavior: after three silent hosts our network is in doubt until a connection opens', () => {
    const witness = createReachWitness()
    const d = { address: '1.1.1.4', place: 'd.test:443' }
    witness.opened(d)
    expect([a, a, b, c, a].map(witness.unanswered)).toEqual([true, true, true, false, false])
    witness.opened(d)
    expect(witness.unanswered(c)).toBe(true)
  })
})
