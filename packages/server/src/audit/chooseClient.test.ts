import { seededRandom } from '@touchstone402/shared/testing'
import { expect, test } from 'vitest'
import { createClients, listDrawn } from '../facts/clientIdentities.ts'
import { createClientChoice } from './chooseClient.ts'

const CLIENTS = createClients('x').length

/** Draws clients one after the other. */
function drawMany(count: number, seed = 1): number[] {
  const choice = createClientChoice(CLIENTS, seededRandom(seed))
  const drawn: number[] = []
  for (let probe = 0; probe < count; probe++) {
    const waiting = [...new Set(drawn.toReversed())].reverse().map(String)
    drawn.push(choice.draw(waiting))
  }
  return drawn
}

test('default: most probes are by a client of Node, and none has an order', () => {
  const drawn = drawMany(4_000)
  const kinds = listDrawn(CLIENTS)
  const share = (kind: string) => drawn.filter((index) => kinds[index]?.kind === kind).length / drawn.length
  expect(share('node')).toBeGreaterThan(0.5)
  expect(share('ours')).toBeGreaterThan(0.05)
  expect(share('ours')).toBeLessThan(0.25)
  expect(share('python')).toBeGreaterThan(0.15)
  // Whichever client asked last, any other may ask next.
  const pairs = new Set(drawn.slice(1).map((index, place) => `${drawn[place]} ${index}`))
  expect(pairs.size).toBeGreaterThan(CLIENTS * (CLIENTS - 1) - 1)
})

test('behavior: no client waits for long', () => {
  const drawn = drawMany(4_000)
  for (let client = 0; client < CLIENTS; client++) {
    const places = drawn.flatMap((index, place) => (index === client ? [place] : []))
    const waits = places.slice(1).map((place, index) => place - (places[index] ?? 0))
    expect(waits.reduce((sum, wait) => sum + wait, 0) / waits.length).toBeLessThan(16)
  }
})

test('behavior: an open question is asked by the last three clients, in turn', () => {
  const choice = createClientChoice(CLIENTS, seededRandom(3))
  let waiting = ['5', '0', '4', '1', '2']
  const asked: number[] = []
  for (let probe = 0; probe < 6; probe++) {
    const client = choice.follow(waiting)
    asked.push(client)
    waiting = [...waiting.filter((name) => name !== String(client)), String(client)]
  }
  expect(asked).toEqual([4, 1, 2, 4, 1, 2])
})

test('behavior: while fewer have asked, an open question is asked by whichever is drawn', () => {
  const drawn = new Set(
    Array.from({ length: 50 }, (_, seed) =>
      createClientChoice(CLIENTS, seededRandom(seed)).follow(['0', '1']),
    ),
  )
  expect(drawn.size).toBeGreaterThan(3)
})

test('behavior: a live check asks as three clients: ours, one of Node and another', () => {
  const kinds = listDrawn(CLIENTS)
  for (let seed = 0; seed < 50; seed++) {
    const [own = -1, node = -1, other = -1, ...more] = createClientChoice(
      CLIENTS,
      seededRandom(seed),
    ).drawLive([])
    expect([own, kinds[node]?.kind, more]).toEqual([0, 'node', []])
    expect(new Set([own, node, other]).size).toBe(3)
  }
  expect(createClientChoice(2, seededRandom(1)).drawLive([])).toEqual([0, 1])
})

test('behavior: score 1.3.0, rule 6: one probe in ten is by a program, where any is installed, and no live check', () => {
  const choice = createClientChoice(CLIENTS, seededRandom(4), [100, 101])
  const drawn: number[] = []
  for (let probe = 0; probe < 4_000; probe++) {
    const waiting = [...new Set(drawn.toReversed())].reverse().map(String)
    drawn.push(choice.draw(waiting))
  }
  const share = drawn.filter((client) => client >= 100).length / drawn.length
  expect(share).toBeGreaterThan(0.05)
  expect(share).toBeLessThan(0.2)
  expect(new Set(drawn)).toContain(101)
  // A difference that one of them saw is closed by it and two others.
  expect(choice.follow(['4', '0', '100', '1'])).toBe(0)
  expect(choice.follow(['0', '1', '100'])).toBe(0)
  expect(choice.follow(['100', '0', '1'])).toBe(100)
  for (let live = 0; live < 50; live++)
    for (const client of choice.drawLive([])) expect(client).toBeLessThan(100)
})
