import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createEvent, type EventParts } from '../../events.ts'
import { NO_STREAMS } from '../../testing/noStreams.ts'
import { HONEST, THIEF } from '../../testing/seller.ts'
import type { PaymentIntent } from '../../types.ts'
import { createFileLedger } from '../fileLedger.ts'
import { run } from './run.ts'

const url = 'https://api.example.com/weather'

async function cli(line: string) {
  const [out, err]: [string[], string[]] = [[], []]
  const io = {
    ...NO_STREAMS,
    env: {},
    fetch,
    out: (text: string) => out.push(text),
    err: (text: string) => err.push(text),
  }
  const code = await run(line.split(' '), io)
  return { code, out: out.join('\n'), err: err.join('\n') }
}

test('behavior: lists the receipts and offers that sellers have signed', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'receipts-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const ledger = join(directory, 'receipts.jsonl')
  const file = await createFileLedger(ledger)
  const payment = { network: 'eip155:8453', payTo: HONEST, amountUsd: '0.01' }
  const signed = { resourceUrl: url, signature: '0xab' } as const
  const terms = { network: 'eip155:8453', payer: THIEF, issuedAt: 1, transaction: '' }
  const receipt = { ...signed, ...terms, signedBy: 'receiver' } as const
  const intent = { ...payment, endpoint: url } as PaymentIntent
  const note = (parts: Partial<EventParts>) =>
    file.note(createEvent({ type: 'allowed', intent, ...parts }, 0))
  note({})
  note({ offerProof: { ...signed, signedBy: 'receiver', validUntil: 0 } })
  note({ offerProof: { ...signed, signedBy: 'other', validUntil: 0 } })
  note({ type: 'settled', receipt })
  note({ type: 'settled', receipt: { ...receipt, signedBy: 'key' } })
  await file.close()
  const { out, code } = await cli(`ledger receipts ${ledger}`)
  const says = [
    `offer signed by ${HONEST}`,
    'offer not signed by its receiver',
    `receipt of ${HONEST}`,
    'receipt of a key that it states',
  ]
  const lines = says.map((one) => `1970-01-01T00:00:00.000Z  $0.01  ${url}  ${one}`)
  expect([code, out]).toEqual([0, lines.join('\n')])
  const { receipts } = JSON.parse((await cli(`ledger receipts ${ledger} --json`)).out)
  expect(receipts[2]).toMatchObject({ type: 'settled', receipt })
  await writeFile(
    ledger,
    (await readFile(ledger, 'utf8')).replace('"signedBy":"other"', '"signedBy":"receiver"'),
  )
  expect((await cli(`ledger receipts ${ledger}`)).err).toContain('The ledger is broken')
})
