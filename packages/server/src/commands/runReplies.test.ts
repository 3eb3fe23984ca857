import { expect, test } from 'vitest'
import { systemClock } from '../lib/clock.ts'
import { RANDOM_IDS } from '../lib/ids.ts'
import { STANDARD_STREAMS } from '../lib/output.ts'
import type { HostClaim } from '../owners/hostClaim.ts'
import { readReplies, sendReply } from '../owners/replies.ts'
import { openStore } from '../services/openStore.ts'
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
async function withContext<T>(step: (ctx: ReturnType<typeof contextOf>) => Promise<T>): Promise<T> {
  const store = await openStore({ databaseUrl: null, dataDir: scratch() })
  try {
    return await step(contextOf(store))
  } finally {
    await store.close()
  }
}

const contextOf = (store: Store) => ({ store, clock: { ...systemClock, now: () => AT }, ids: RANDOM_IDS })

const run = async (...words: string[]) =>
  String(await runCommand(['replies', ...words], { DATA_DIR: scratch() }, STANDARD_STREAMS))

test('default: the operator lists replies, and takes one down for a stated reason', async () => {
  const subject = { host: HOST, endpoint: null, incident: null }
  const { id } = await withContext((ctx) => sendReply(ctx, subject, 'Call J. Doe.', CLAIM))
  expect(await run('list')).toBe(`${id}  ${new Date(AT).toISOString()}\n  about ${HOST}\n  Call J. Doe.`)
  await expect(run('take-down', id)).rejects.toThrow('replies take-down needs REASON')
  await expect(run('take-down', id, '\u202e')).rejects.toThrow('REASON takes 1 to 1000 characters')
  await expect(run('take-down', `${HOST}/other`, 'No.')).rejects.toThrow(`there is no reply ${HOST}/other`)
  expect(await run('take-down', id, 'It names a person.')).toBe(
    `${id} is taken down. Its text is deleted; the profile of ${HOST} says why.`,
  )
  expect(await run('list')).toBe('There is no reply.')
  expect(await withContext((ctx) => readReplies(ctx, HOST))).toMatchObject([
    { id, text: null, takenDown: { reason: 'It names a person.' } },
  ])
})
