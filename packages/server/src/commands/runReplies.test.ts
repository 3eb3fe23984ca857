import { expect, test } from 'vitest'
import { STANDARD_STREAMS } from '../lib/output.ts'
import { createReplies } from '../owners/createReplies.ts'
import type { HostClaim } from '../owners/hostClaim.ts'
import { openStore } from '../store/openStore.ts'
import type { Store } from '../store/store.ts'
import { useScratchFolder } from '../store/testing/scratch.ts'
import { runCommand } from './runMain.ts'

const HOST = 'api.example:8402'
const AT = Date.now()
const CLAIM: HostClaim = {
  host: HOST,
  method: 'dns',
  token: 'touchstone-claim=first',
  since: AT,
  checkedAt: AT,
  heldAt: AT,
  failures: 0,
}
const scratch = useScratchFolder()

/** Opens the store for one step, as the service would before it stops. */
async function withReplies<T>(step: (replies: ReturnType<typeof repliesOf>) => Promise<T>): Promise<T> {
  const store = await openStore({ databaseUrl: null, dataDir: scratch() })
  try {
    return await step(repliesOf(store))
  } finally {
    await store.close()
  }
}

const repliesOf = (store: Store) =>
  createReplies({
    documents: store,
    clock: { now: () => AT },
    claims: { of: async () => [CLAIM] },
    log: store,
    newSalt: () => Buffer.alloc(16).toString('base64'),
  })

const run = async (...words: string[]) =>
  String(await runCommand(['replies', ...words], { DATA_DIR: scratch() }, STANDARD_STREAMS))

test('default: the operator lists replies, and takes one down for a stated reason', async () => {
  const subject = { host: HOST, endpoint: null, incident: null }
  const { id } = await withReplies((replies) => replies.send(subject, 'Call J. Doe.', CLAIM))
  expect(await run('list')).toBe(`${id}  ${new Date(AT).toISOString()}\n  about ${HOST}\n  Call J. Doe.`)
  await expect(run('take-down', id)).rejects.toThrow('replies take-down needs REASON')
  await expect(run('take-down', id, '\u202e')).rejects.toThrow('REASON takes 1 to 1000 characters')
  await expect(run('take-down', `${HOST}/other`, 'No.')).rejects.toThrow(`there is no reply ${HOST}/other`)
  expect(await run('take-down', id, 'It names a person.')).toBe(
    `${id} is taken down. Its text is deleted; the profile of ${HOST} says why.`,
  )
  expect(await run('list')).toBe('There is no reply.')
  expect(await withReplies((replies) => replies.of(HOST))).toMatchObject([
    { id, text: null, takenDown: { reason: 'It names a person.' } },
  ])
})
