import { openLeaf, readLeaf } from '@touchstone402/shared/leaves'
import { expect, test } from 'vitest'
import type { EndpointState } from '../facts/hostDocument.ts'
import { aState } from '../store/testing/documents.ts'
import { decisionLeaf } from './leaves.ts'

const salt = () => Buffer.alloc(16, 7).toString('base64')
const listed = aState({ endpoint: 'https://a.example/paid', host: 'a.example' })
const term = { scheme: 'exact', network: 'eip155:8453', asset: '0xa', payTo: '0xb', amountAtomic: '1000' }
const listing = { directory: 'bazaar' }
const state = (more: object = {}) =>
  ({ ...listed, listings: [listing], terms: [term], ...more }) as unknown as EndpointState
const reversed = Object.fromEntries(Object.entries(term).reverse())

test('default: a first decision is logged, and its opening names the endpoint', () => {
  const made = decisionLeaf(undefined, state(), salt)
  const leaf = readLeaf(Buffer.from(made?.leaf ?? ''))
  expect(leaf).toMatchObject({ kind: 'decision', scoreVersion: listed.scoreVersion })
  expect(openLeaf(leaf, made?.opening ?? '')).toMatchObject({ endpoint: listed.endpoint, terms: [term] })
})

test.each([
  ['a later probe', { derivedAt: listed.derivedAt + 1 }],
  ['terms whose properties come in another order', { terms: [reversed] }],
])('behavior: %s that says the same is not logged', (_, more) => {
  expect(decisionLeaf(state(), state(more), salt)).toBeUndefined()
})

test('behavior: other terms are logged', () => {
  const changed = state({ terms: [{ ...term, payTo: '0xc' }] })
  expect(decisionLeaf(state(), changed, salt)?.opening).toContain('"payTo":"0xc"')
})

test('behavior: lone surrogates of a seller are replaced, and do not make a decision new', () => {
  const broken = state({ terms: [{ ...term, scheme: 'a\ud800' }] })
  expect(decisionLeaf(undefined, broken, salt)?.opening).toContain('"scheme":"a\ufffd"')
  const replaced = state({ terms: [{ ...term, scheme: 'a\ufffd' }] })
  expect(decisionLeaf(replaced, broken, salt)).toBeUndefined()
})

test('behavior: an endpoint that is not listed is not logged', () => {
  expect(decisionLeaf(undefined, state({ listings: [] }), salt)).toBeUndefined()
})
