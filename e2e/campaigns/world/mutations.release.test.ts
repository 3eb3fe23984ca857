import { expect, test } from 'vitest'
import { checksNoAnswers } from '../../contract/checksNoAnswers.ts'
import { findMutation } from './findMutation.ts'
import { MUTATIONS } from './mutations.ts'

checksNoAnswers('nothing outside of the guard is real')

/** Worlds that are tried after the one that is known to find a mutation. The campaign tries more at night. */
const MOST_TRIED = 200

test.each(MUTATIONS)('behavior: a world finds that $name', async (mutation) => {
  expect(await findMutation(mutation, MOST_TRIED)).toMatchObject({ name: mutation.name })
})
