import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { budgetLimits } from '../decide/budget.ts'
import { parsePolicy } from '../decide/policySchema.ts'
import { aRequest } from '../testing/requests.ts'
import { createFileLedger } from './fileLedger.ts'
import { verifyLedger } from './verifyLedger.ts'

const limits = budgetLimits(parsePolicy({ maxPerDayUsd: '10.00', maxPerHostPerDayUsd: '10.00' }))

test('behavior: a file that was changed before its end is refused, or tells no less', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bytes-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 's.jsonl')
  const [a, b] = [await createFileLedger(path), await createFileLedger(path)]
  for (let count = 0; count < 12; count++) {
    const ledger = count % 3 === 0 ? a : b
    expect(await ledger.reserve(aRequest({ call: `GET ${count}` }), limits)).toMatchObject({ ok: true })
  }
  await a.close()
  await b.close()
  const whole = await readFile(path)
  const lines = whole.toString().split('\n').filter(Boolean)
  let seed = 3
  const random = (most: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648
    return seed % most
  }
  const less: string[] = []
  for (let run = 0; run < 150; run++) {
    const at = random(lines.length - 2)
    const kind = run % 6
    let text: Buffer = Buffer.from(whole)
    if (kind === 0) text = Buffer.from(`${lines.toSpliced(at, 1).join('\n')}\n`)
    if (kind === 1)
      text = Buffer.from(`${lines.toSpliced(at, 0, lines[random(lines.length)] ?? '').join('\n')}\n`)
    if (kind === 2) text[random(whole.length - 1500)] = random(256)
    if (kind === 3) {
      const from = random(whole.length - 1600)
      text = Buffer.concat([whole.subarray(0, from), whole.subarray(from + 1 + random(60))])
    }
    if (kind === 4)
      text = Buffer.from(`${lines.toSpliced(at, 2, lines[at + 1] ?? '', lines[at] ?? '').join('\n')}\n`)
    if (kind === 5) {
      const from = random(whole.length - 1600)
      text.fill(0, from, from + random(500))
    }
    const name = join(folder, `f${run}.jsonl`)
    await writeFile(name, text, { mode: 0o600 })
    const opened = await createFileLedger(name).catch(() => null)
    if (opened === null) continue
    if (opened.totals().usdMicros < 120_000n)
      less.push(
        `${run} kind ${kind}: ${opened.totals().usdMicros} ${opened.pending().length} lost ${Array.from({ length: 12 }, (_, one) => one).filter((one) => !text.includes(`GET ${one}"`))} sizes ${lines.slice(-3).map((one) => one.length)}`,
      )
    await opened.close()
  }
  expect(less).toEqual([])
})

test('behavior: a line that is missing from the middle is found, also the last one of its writer', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bytes-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 's.jsonl')
  const [a, b] = [await createFileLedger(path), await createFileLedger(path)]
  for (const [index, ledger] of [b, a, b, b, b, b].entries())
    await ledger.reserve(aRequest({ call: `GET ${index}` }), limits)
  await a.close()
  await b.close()
  const lines = (await readFile(path, 'utf8')).split('\n').filter(Boolean)
  // The second of six, and the only one of its process.
  await writeFile(path, `${lines.toSpliced(1, 1).join('\n')}\n`)
  expect((await verifyLedger(path)).ok).toBe(false)
  await expect(createFileLedger(path)).rejects.toThrow('lines are missing')
})
