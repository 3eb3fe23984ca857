import { afterEach, beforeEach, expect, test } from 'vitest'
import { budgetLimits } from '../../decide/budget.ts'
import { parsePolicy } from '../../decide/policySchema.ts'
import { useLedgerFile } from '../../testing/ledgerFile.ts'
import type { TestServer } from '../../testing/listen.ts'
import { NO_STREAMS } from '../../testing/noStreams.ts'
import { aRequest } from '../../testing/requests.ts'
import { aBlock, startRpc, UNUSED } from '../../testing/rpc.ts'
import { HONEST } from '../../testing/seller.ts'
import { run } from './run.ts'

const l = useLedgerFile()
let rpc: TestServer
let chainId: string

beforeEach(async () => {
  chainId = '0x2105'
  rpc = await startRpc((method) => {
    const answers: Record<string, unknown> = { eth_chainId: chainId, eth_call: UNUSED }
    return answers[method] ?? aBlock(Date.now() - 1_200_000)
  })
  const ledger = await l.open()
  const reserved = await ledger.reserve(aRequest({ agent: 'research' }), budgetLimits(parsePolicy()))
  const validBefore = String(Math.floor(Date.now() / 1000) - 3000)
  const authorization = { from: HONEST, nonce: `0x${'0a'.repeat(32)}`, validBefore }
  if (reserved.ok) await ledger.update(reserved.id, { state: 'handedOut', authorization })
  await ledger.close()
})
afterEach(() => rpc.stop())

async function cli(line: string, env: Record<string, string> = {}) {
  const printed: string[] = []
  const print = (text: string) => void printed.push(text)
  const words = [...line.split(' '), '--ledger', l.path]
  const code = await run(words, { ...NO_STREAMS, out: print, err: print, env, fetch })
  return [code, printed.join('\n')]
}

test('default: releases what the chain proves, and says how many', async () => {
  expect(await cli(`ledger reconcile --rpc eip155:8453=${rpc.url}`)).toEqual([
    0,
    '0 settled, 1 released, 0 open.',
  ])
  expect(await cli('budget')).toEqual([0, expect.stringContaining('Since the beginning: $0.00 spent')])
})

test('behavior: takes a URL alone for Base, and those of RPC_URLS', async () => {
  expect(await cli('ledger reconcile', { RPC_URLS: `${rpc.url}, ${rpc.url}` })).toEqual([
    0,
    '0 settled, 1 released, 0 open.',
  ])
})

test('error: says why a payment stays open', async () => {
  const id = expect.stringMatching(
    /^0 settled, 0 released, 1 open\.\n[0-9a-f]{16}-1: There is no RPC endpoint/,
  )
  expect(await cli('ledger reconcile')).toEqual([0, id])
  chainId = '0x1'
  expect(await cli(`ledger reconcile --rpc ${rpc.url}`)).toEqual([
    0,
    expect.stringContaining('The RPC endpoint is of chain 1, not 8453.'),
  ])
})

test.each(['base=https://key.example', 'key.example', 'eip155:8453=key', 'eip155:x=https://key.example'])(
  'error: refuses --rpc %s, and does not repeat it',
  async (given) => {
    const [code, text] = await cli(`ledger reconcile --rpc ${given}`)
    expect([code, text]).toEqual([64, expect.stringContaining('--rpc: expected eip155:8453=https://')])
    expect(text).not.toContain('key')
  },
)
