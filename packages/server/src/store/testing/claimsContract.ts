import { beforeEach, describe, expect, test } from 'vitest'
import { ClaimStateError } from '../../facts/storeError.ts'
import type { ClaimState } from '../claims.ts'
import { ANSWER_KEPT_MS, countUnsettled, readClaim, readUndelivered, readUnsettled } from '../claims.ts'
import type { Store } from '../store.ts'
import { aWantedClaim, NOON } from './records.ts'
import type { Home } from './useStore.ts'

const answer = { status: 200, headers: { 'content-type': 'application/json' }, body: '{"ok":true}' }

/** The steps that lead to each state. */
const WAY: Record<ClaimState, Exclude<ClaimState, 'claimed'>[]> = {
  claimed: [],
  settling: ['settling'],
  reported: ['settling', 'reported'],
  unknown: ['settling', 'unknown'],
  missing: ['settling', 'reported', 'missing'],
  settled: ['settling', 'settled'],
  refused: ['settling', 'refused'],
  owed: ['settling', 'refused', 'owed'],
  released: ['released'],
}

/** Tests the claims of a store against the contract of all stores. */
export function describeClaims(name: string, createHome: () => Promise<Home>): void {
  describe(`${name} claims`, () => {
    let home: Home
    let store: Store
    let now = NOON
    beforeEach(async () => {
      now = NOON
      home = await createHome()
      store = await home.open()
      return async () => {
        await store.close()
        await home.remove()
      }
    })

    test('default: of 50 concurrent claims exactly one wins, and all return the same claim', async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          store.write('claimPayment', aWantedClaim({ binding: `GET https://touchstone.example/${index}` })),
        ),
      )
      const winner = outcomes.find((outcome) => outcome.won)
      expect(outcomes.filter((outcome) => outcome.won)).toHaveLength(1)
      expect(new Set(outcomes.map((outcome) => outcome.claim.binding))).toEqual(
        new Set([winner?.claim.binding]),
      )
    })

    test('behavior: letter case does not make a different payment', async () => {
      const wanted = aWantedClaim()
      await store.write('claimPayment', wanted)
      const loud = { from: wanted.from.toUpperCase(), nonce: wanted.nonce.toUpperCase() }
      const again = await store.write('claimPayment', {
        ...wanted,
        asset: wanted.asset.toLowerCase(),
        ...loud,
      })
      expect(again.won).toBe(false)
      expect(await readClaim(store, { ...wanted, ...loud }, now)).toEqual(again.claim)
    })

    test('behavior: another nonce, payer, asset or network is another payment', async () => {
      const others = [{ nonce: '0x01' }, { from: '0x02' }, { asset: '0x03' }, { network: 'eip155:84532' }]
      await store.write('claimPayment', aWantedClaim())
      for (const other of others) {
        expect((await store.write('claimPayment', aWantedClaim(other))).won).toBe(true)
      }
    })

    test('default: a claim goes from claimed to settled and keeps its answer', async () => {
      const wanted = aWantedClaim()
      const won = await store.write('claimPayment', wanted)
      expect(won.claim).toEqual({
        ...wanted,
        state: 'claimed',
        updatedAt: NOON,
        sentAt: null,
        txHash: null,
        answer: null,
      })
      await store.write('advancePayment', wanted, 'settling', { at: NOON + 1, answer })
      // Without the answer, which may be large.
      const open = { ...wanted, state: 'settling', updatedAt: NOON + 1, sentAt: NOON + 1, txHash: null }
      expect(await readUnsettled(store)).toEqual([open])
      expect(await countUnsettled(store)).toEqual({ settling: 1 })
      const settled = await store.write('advancePayment', wanted, 'settled', {
        at: NOON + 2,
        txHash: '0xabc',
      })
      expect(settled).toEqual({
        ...wanted,
        state: 'settled',
        updatedAt: NOON + 2,
        sentAt: NOON + 1,
        txHash: '0xabc',
        answer,
      })
      expect(await readClaim(store, wanted, now)).toEqual(settled)
      expect(await readUnsettled(store)).toEqual([])
      expect(await countUnsettled(store)).toEqual({})
    })

    test('behavior: a released payment may be claimed again for another call', async () => {
      const wanted = aWantedClaim()
      await store.write('claimPayment', wanted)
      await store.write('advancePayment', wanted, 'released', { at: NOON + 1 })
      const again = { ...wanted, binding: 'GET https://touchstone.example/pulse', claimedAt: NOON + 2 }
      const outcomes = await Promise.all([
        store.write('claimPayment', again),
        store.write('claimPayment', again),
      ])
      expect(outcomes.map((outcome) => outcome.won).sort()).toEqual([false, true])
      expect((await readClaim(store, wanted, now))?.binding).toBe(again.binding)
    })

    test('behavior: a refused payment may be claimed again, an owed one may not', async () => {
      for (const [state, isWon] of [
        ['refused', true],
        ['owed', false],
      ] as const) {
        const wanted = aWantedClaim({ nonce: state })
        await store.write('claimPayment', wanted)
        for (const step of WAY[state]) await store.write('advancePayment', wanted, step, { at: NOON, answer })
        expect(await store.write('claimPayment', wanted)).toMatchObject({
          won: isWon,
          // When it was first sent stays known.
          claim: { state: isWon ? 'claimed' : 'owed', sentAt: NOON, answer: isWon ? null : answer },
        })
      }
    })

    test('behavior: lists the undelivered claims of one payer, the latest first', async () => {
      const add = async (nonce: string, steps: (typeof WAY)[ClaimState], at: number, from?: string) => {
        const wanted = aWantedClaim({ nonce, ...(from !== undefined && { from }) })
        await store.write('claimPayment', wanted)
        for (const step of steps) await store.write('advancePayment', wanted, step, { at })
      }
      for (const [at, state] of (Object.keys(WAY) as ClaimState[]).entries())
        await add(`0x0${at}`, WAY[state], NOON + at)
      await add('0x0a', WAY.owed, NOON, `${aWantedClaim().from}0`)
      const found = await readUndelivered(store, aWantedClaim({ from: aWantedClaim().from.toUpperCase() }))
      expect(found.map(({ state }) => state)).toEqual(['owed', 'refused', 'unknown'])
      for (let index = 0; index < 20; index++) await add(`0xb${index}`, WAY.refused, NOON + 100 + index)
      const latest = await readUndelivered(store, aWantedClaim())
      expect([latest.length, latest[0]?.state, latest[1]?.nonce]).toEqual([20, 'owed', '0xb19'])
    })

    test('error: refuses every state change that is not allowed', async () => {
      const allowed = new Set([
        'claimed settling',
        'claimed released',
        'settling reported',
        'settling settled',
        'settling unknown',
        'claimed refused',
        'settling refused',
        'settling released',
        'refused owed',
        'refused released',
        'unknown owed',
        'owed settled',
        'reported settled',
        'reported missing',
        'missing settled',
        'unknown settled',
        'unknown released',
      ])
      const states = Object.keys(WAY) as ClaimState[]
      for (const from of states) {
        for (const to of states) {
          if (to === 'claimed') continue
          const wanted = aWantedClaim({ nonce: `${from} ${to}` })
          await store.write('claimPayment', wanted)
          for (const step of WAY[from]) await store.write('advancePayment', wanted, step, { at: NOON })
          const moved = store.write('advancePayment', wanted, to, { at: NOON })
          if (allowed.has(`${from} ${to}`)) expect((await moved).state).toBe(to)
          else await expect(moved).rejects.toThrow(ClaimStateError)
        }
      }
    })

    test('error: refuses to advance a claim that does not exist', async () => {
      await expect(store.write('advancePayment', aWantedClaim(), 'settling', { at: NOON })).rejects.toThrow(
        ClaimStateError,
      )
    })

    test('behavior: only one of two concurrent final states wins', async () => {
      const wanted = aWantedClaim()
      await store.write('claimPayment', wanted)
      await store.write('advancePayment', wanted, 'settling', { at: NOON })
      const ends = await Promise.allSettled([
        store.write('advancePayment', wanted, 'settled', { at: NOON, txHash: '0xa' }),
        store.write('advancePayment', wanted, 'refused', { at: NOON }),
      ])
      expect(ends.map((end) => end.status).sort()).toEqual(['fulfilled', 'rejected'])
    })

    test('behavior: keeps an answer for 24 hours and the claim for ever', async () => {
      const wanted = aWantedClaim()
      await store.write('claimPayment', wanted)
      await store.write('advancePayment', wanted, 'settling', { at: NOON })
      await store.write('advancePayment', wanted, 'settled', { at: NOON, txHash: '0xabc', answer })
      now = NOON + ANSWER_KEPT_MS - 1
      expect((await readClaim(store, wanted, now))?.answer).toEqual(answer)
      now = NOON + ANSWER_KEPT_MS
      expect(await readClaim(store, wanted, now)).toMatchObject({
        state: 'settled',
        txHash: '0xabc',
        answer: null,
      })
      expect((await store.write('claimPayment', wanted)).won).toBe(false)
    })

    test('behavior: drops released claims once their payments expired, and nothing that settled or still may', async () => {
      const validBefore = NOON / 1000 + 60
      const ways = { ...WAY, unsent: ['settling', 'unknown', 'released'] as const }
      for (const [name, steps] of Object.entries(ways)) {
        const wanted = aWantedClaim({ nonce: name, validBefore })
        await store.write('claimPayment', wanted)
        for (const step of steps) await store.write('advancePayment', wanted, step, { at: NOON })
      }
      const later = aWantedClaim({ nonce: 'later', validBefore: validBefore + 60 })
      await store.write('claimPayment', later)
      await store.write('advancePayment', later, 'released', { at: NOON })
      const left = async () => {
        const kept = await Promise.all(
          [...Object.keys(ways), 'later'].map((nonce) => readClaim(store, aWantedClaim({ nonce }), now)),
        )
        return kept.flatMap((claim) => claim?.nonce ?? [])
      }
      expect(await store.write('dropExpiredPayments', validBefore * 1000)).toBe(0)
      expect(await store.write('dropExpiredPayments', validBefore * 1000 + 1)).toBe(2)
      // A crash after that, or a second process, finds nothing more to drop.
      await store.close()
      store = await home.open()
      expect(await store.write('dropExpiredPayments', validBefore * 1000 + 1)).toBe(0)
      const stays = Object.keys(WAY).filter((state) => state !== 'released')
      expect(await left()).toEqual([...stays, 'later'])
      expect((await store.write('claimPayment', aWantedClaim({ nonce: 'settled' }))).won).toBe(false)
    })

    test('behavior: claims survive reopening and cannot be won again', async () => {
      const wanted = aWantedClaim()
      const paid = aWantedClaim({ nonce: '0x01' })
      const reported = aWantedClaim({ nonce: '0x02' })
      for (const each of [wanted, paid, reported]) await store.write('claimPayment', each)
      await store.write('advancePayment', reported, 'settling', { at: NOON + 1, answer })
      await store.write('advancePayment', reported, 'reported', { at: NOON + 1, txHash: '0xdef' })
      await store.write('advancePayment', paid, 'settling', { at: NOON + 1, answer })
      await store.write('advancePayment', paid, 'settled', { at: NOON + 1, txHash: '0xabc' })
      await store.close()
      store = await home.open()
      expect((await store.write('claimPayment', wanted)).won).toBe(false)
      expect(await readClaim(store, paid, now)).toMatchObject({
        state: 'settled',
        txHash: '0xabc',
        answer,
      })
      expect((await readUnsettled(store)).map((claim) => claim.nonce).sort()).toEqual(
        [wanted.nonce, reported.nonce].sort(),
      )
    })
  })
}
