import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeMapHeader } from '@touchstone402/shared/map'
import { formatSignerKey, parseSignerKey, signNote } from '@touchstone402/transparency'
import { expect, test } from 'vitest'
import { openStore } from '../services/openStore.ts'
import { publishMapFiles } from '../store/documents.ts'
import { NOON } from '../store/testing/records.ts'
import { useScratchFolder } from '../store/testing/scratch.ts'
import { runMapExport } from './runMapExport.ts'

const scratch = useScratchFolder()

test('behavior: an export removes what no reader of its header needs, and nothing of others', async () => {
  const [dataDir, target] = [join(scratch(), 'data'), join(scratch(), 'map')]
  await mkdir(target)
  await writeFile(join(target, 'index.html'), 'of the operator')
  await writeFile(join(target, '2026.txt'), 'of the operator')
  const signer = await parseSignerKey(await formatSignerKey('t.example/map', new Uint8Array(32).fill(1)))
  const publish = async (version: number) => {
    const header = writeMapHeader({
      issuer: 'https://t.example',
      version,
      previous: null,
      entries: 0,
      bytes: 1,
      scoreVersion: '1.2.0',
      issuedAt: NOON,
      expiresAt: NOON + 7_200_000,
      sha256: 'ab'.repeat(32),
    })
    const names = [`${version}`, ...(version > 1 ? [`${version - 1}-${version}`] : [])]
    const store = await openStore({ databaseUrl: null, dataDir })
    await publishMapFiles(store, new Map(names.map((name) => [name, new Uint8Array(1)])), {
      latest: await signNote(header, [signer]),
      isKept: () => true,
    })
    await store.close()
    return runMapExport(target, { DATA_DIR: dataDir })
  }
  for (const version of [1, 2, 3]) await publish(version)
  expect(await publish(4)).toBe(`version 4 with 0 entries: 3 files in ${target}`)
  expect((await readdir(target)).sort()).toEqual(['2-3', '2026.txt', '3', '3-4', '4', 'index.html', 'latest'])
})
