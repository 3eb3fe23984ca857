import { expect, test } from 'vitest'
import { checksNoAnswers } from '../../../contract/checksNoAnswers.ts'
import { allHosts } from '../hosts.ts'
import type { Host } from '../world/types.ts'
import { findBent, findWronglyVouched } from './measureBent.ts'
import type { Sample } from './sample.ts'

checksNoAnswers('it measures verdicts that it makes up')

const [honest] = await allHosts(6)
if (honest === undefined) throw new Error('the simulation has no host')

const SAFE: Sample = {
  day: 3,
  endpoint: `https://${honest.host}/api`,
  expiresOnDay: 5,
  verdict: 'safe',
  score: 95,
  flags: [],
  riskLevel: 'clean',
  terms: [],
}
const samples =
  (...more: readonly Partial<Sample>[]) =>
  () =>
    more.map((one) => ({ ...SAFE, ...one }))

/** A host that escapes to a path on which Caution is the worst verdict. */
const TO_PATH: Partial<Host> = {
  escapesOnDay: 2,
  faults: [
    { fromDay: 1, toDay: 9, verdict: 'avoid', flags: [], path: '/api' },
    { fromDay: 2, toDay: 9, verdict: 'caution', flags: [], path: '/v2/api' },
  ],
}
const AT_PATH = { endpoint: `https://${honest.host}/v2/api` }

test.each<[string, Partial<Host>, Partial<Sample>[], number]>([
  ['a rival that changes nothing', { rival: {} }, [{}], 0],
  ['a rival that turns a seller to caution', { rival: {} }, [{}, { verdict: 'caution' }], 1],
  ['a rival that turns a seller to unknown', { rival: {} }, [{ verdict: 'unknown' }], 1],
  ['an escape that is safe', { escapesOnDay: 2 }, [{}], 1],
  [
    'an escape that is unknown and clean',
    { escapesOnDay: 2 },
    [{ verdict: 'unknown', riskLevel: 'unknown' }],
    1,
  ],
  [
    'an escape that is unknown at risk high',
    { escapesOnDay: 2 },
    [{ verdict: 'unknown', riskLevel: 'high' }],
    0,
  ],
  ['an escape that is avoid', { escapesOnDay: 2 }, [{ verdict: 'avoid', riskLevel: 'high' }], 0],
  ['an escape that is caution', { escapesOnDay: 2 }, [{ verdict: 'caution' }], 1],
  ['an escape to a path that is caution by the rules', TO_PATH, [{ ...AT_PATH, verdict: 'caution' }], 0],
  ['an escape to such a path that is safe', TO_PATH, [AT_PATH], 1],
  ['an escape whose old path is caution', TO_PATH, [{ verdict: 'caution' }], 1],
  ['a host before its escape', { escapesOnDay: 4 }, [{}], 0],
])('behavior: %s', (_, change, given, bent) => {
  expect(findBent([{ ...honest, ...change }], samples(...given))).toHaveLength(bent)
})

const term: Sample['terms'][number] = {
  x402Version: 2,
  scheme: 'exact',
  network: 'eip155:8453',
  asset: '0xa',
  payTo: '0xB',
  method: 'GET',
  amountAtomicMin: '1000',
  amountAtomicMax: '4000',
}

test.each<[string, NonNullable<Host['forbidden']>[number], Partial<Sample>, number]>([
  ['terms of the receiver', { fromDay: 2, toDay: 4, payTo: '0xb' }, {}, 1],
  ['terms of another receiver', { fromDay: 2, toDay: 4, payTo: '0xc' }, {}, 0],
  ['terms after the period', { fromDay: 0, toDay: 2, payTo: '0xb' }, {}, 0],
  ['terms above the amount', { fromDay: 0, toDay: 9, aboveAtomic: '3000' }, { verdict: 'caution' }, 1],
  ['terms up to the amount', { fromDay: 0, toDay: 9, aboveAtomic: '4000' }, {}, 0],
  ['terms of a verdict that no guard pays', { fromDay: 0, toDay: 9, payTo: '0xb' }, { verdict: 'avoid' }, 0],
])('behavior: wrongly vouched: %s', (_, forbidden, sample, found) => {
  const host = { ...honest, forbidden: [forbidden] }
  expect(findWronglyVouched([host], samples({ terms: [term], ...sample }))).toHaveLength(found)
})
