import { expect, test } from 'vitest'
import { HOUR } from '../facts/times.ts'
import { listing, offer, T0, up } from '../judge/testing/facts.ts'
import { readSides } from './sides.ts'

const readNone = async () => []

test('behavior: a cited listing stands beside all that the probes were asked, though their amounts differ', async () => {
  const observations = ['30000', '31000'].map((amountAtomic, index) =>
    up(T0 + index * HOUR, { offers: [offer({ amountAtomic })] }),
  )
  const own = listing(T0)
  const sides = await readSides(readNone, observations, own)
  expect(sides.map(({ title }) => title)).toEqual([`Listed on ${own.directory}`, 'Now'])
  expect(sides[1]?.offers.map(({ amountAtomic }) => amountAtomic)).toEqual(['30000', '31000'])
  expect((await readSides(readNone, observations)).map(({ title }) => title)).toEqual(['Shown', 'Shown'])
})
