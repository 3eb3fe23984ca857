import { chmod, copyFile, mkdir, mkdtemp, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '@touchstone402/server/testing'
import { startAnvil } from '@touchstone402/transfers/testing'
import { expect, onTestFinished, test } from 'vitest'
import { runServerCommand } from './support/runServerCommand.ts'
import { startWatched, useWatched } from './support/watchedService.ts'

const { market, seen, settings } = useWatched()
const SECRET = 'S3CRET9X'

test('error: an RPC on another chain is refused at the start, one that is silent is not', async () => {
  const other = await startAnvil(['--chain-id', '1'])
  onTestFinished(other.stop)
  const RPC_URLS = `${market.economy.chain.rpcUrl},http://user:${SECRET}@127.0.0.1:${other.port}/?key=${SECRET}`
  const startedAt = performance.now()
  const { code, errors } = await runServerCommand([], { ...settings(), RPC_URLS })
  seen['wrong chain at the start'] = {
    readyz: 'refused',
    seconds: Math.round((performance.now() - startedAt) / 100) / 10,
  }
  expect(code).toBe(1)
  expect(errors).toContain(
    `RPC_URLS: 127.0.0.1:${other.port} is on chain eip155:1, not on eip155:8453 (NETWORK)`,
  )
  expect(errors).not.toContain(SECRET)
  const service = await startWatched({
    ...settings(),
    RPC_URLS: `${market.economy.chain.rpcUrl},http://127.0.0.1:1`,
  })
  onTestFinished(service.stop)
  await service.until(({ checks }) => checks.chain === 'partly unreachable')
  expect((await service.readyz()).code).toBe(200)
})

test('error: a key file or a store that cannot be used is refused with a plain sentence', async () => {
  const { DATA_DIR: folder } = settings()
  const refused = async (given: Readonly<Record<string, string>>) => {
    const { code, errors } = await runServerCommand([], { ...settings(), ...given })
    expect(code).toBe(1)
    expect(errors.trim().split('\n').at(-1)).toMatch(/^touchstone-server: /)
    return errors
  }
  const key = join(folder, 'key.json')
  await writeFile(key, '{}')
  await chmod(key, 0o644)
  expect(await refused({ SIGNING_KEY_FILE: key })).toContain(
    'key.json can be read by other users: set its mode to 600',
  )
  await mkdir(join(folder, 'folder'))
  expect(await refused({ SIGNING_KEY_FILE: join(folder, 'folder') })).toContain(
    `${join(folder, 'folder')} is a folder, and must be a file`,
  )
  const shopper = { SHOPPER_PER_CALL_USD: '0.05', SHOPPER_PER_DAY_USD: '1' }
  expect(await refused({ SHOPPER_KEY_FILE: join(folder, 'none'), ...shopper })).toContain(
    'none cannot be read',
  )

  const store = join(folder, 'touchstone.db')
  // Made elsewhere: a store that this process has had open may still be written when it is cut.
  const elsewhere = await mkdtemp(join(tmpdir(), 'touchstone-store-'))
  onTestFinished(() => rm(elsewhere, { recursive: true, force: true }))
  const [dataDir, backUp] = [join(elsewhere, 'data'), join(elsewhere, 'back-up.db')]
  await (await openStore({ databaseUrl: null, dataDir })).close()
  expect(await runServerCommand(['backup', backUp], { DATA_DIR: dataDir })).toMatchObject({ code: 0 })
  await copyFile(backUp, store)
  await truncate(store, Math.floor((await stat(store)).size / 2))
  expect(await refused({})).toMatch(/touchstone\.db is damaged \(.*\): restore it from a back-up/)
})
