import fc from 'fast-check'
import { formatLog, parseAbi, parseEventLogs, size } from 'viem'
import { expect, test } from 'vitest'
import { createAddressTable } from '../columns/addressTable.ts'
import { createColumnBuilder } from '../columns/columnBuilder.ts'
import { addressAt, isSupplyLogAt, logIndexAt, txHashAt, valueAt } from '../columns/columns.ts'
import { type Log, log, shuffled, TOKEN } from '../testing/anyLogs.ts'
import { decodeLogsJson, type SkippedLogs, TRANSFER_TOPIC } from './decodeJson.ts'
import { createLogStream } from './logStream.ts'

type Row = readonly [number, number, string, string, string, bigint, boolean]

const ABI = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Deposit(address indexed to, uint256 value)',
  'event Withdrawal(address indexed from, uint256 value)',
])
const ZERO = `0x${'0'.repeat(40)}`

/** Returns what was decoded; of nothing but nulls if the decoder gave up. */
function rowsOf(decode: (builder: ReturnType<typeof createColumnBuilder>) => SkippedLogs | null) {
  const builder = createColumnBuilder(createAddressTable(42), 16)
  const skipped = decode(builder)
  if (skipped === null) return { ends: null, rows: null, skipped: null }
  const ends = builder.ends()
  const columns = builder.finish()
  const rows: Row[] = Array.from({ length: columns.count }, (_, i) => [
    columns.block[i] ?? -1,
    logIndexAt(columns, i),
    txHashAt(columns, columns.tx[i] ?? -1),
    addressAt(columns, columns.from[i] ?? -1),
    addressAt(columns, columns.to[i] ?? -1),
    valueAt(columns, i),
    isSupplyLogAt(columns, i),
  ])
  return { ends, rows, skipped }
}
const bytesOf = (text: string) =>
  rowsOf((builder) => {
    const stream = createLogStream(TOKEN, builder)
    stream.write(Buffer.from(text))
    return stream.end()
  })
const jsonOf = (result: unknown) => rowsOf((builder) => decodeLogsJson(result, TOKEN, builder))

function viemOf(logs: readonly Log[]): Row[] {
  const isOurs = ({ topics, data, removed }: Log) =>
    !removed && topics.length === (topics[0]?.toLowerCase() === TRANSFER_TOPIC ? 3 : 2) && size(data) === 32
  const ours = logs.filter(isOurs)
  return parseEventLogs({
    abi: ABI,
    logs: ours.map((log) =>
      formatLog({ ...log, topics: log.topics.map((topic) => topic.toLowerCase()) } as never),
    ),
  }).map(({ blockNumber, logIndex, transactionHash, eventName, args }) => [
    Number(blockNumber),
    logIndex ?? -1,
    String(transactionHash).toLowerCase(),
    'from' in args ? args.from.toLowerCase() : ZERO,
    'to' in args ? args.to.toLowerCase() : ZERO,
    args.value,
    eventName !== 'Transfer',
  ])
}
const reply = (logs: unknown, space?: number) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, result: logs }, null, space)

const TRANSFER = {
  transactionHash: `0x${'c'.repeat(64)}`,
  blockHash: `0x${'d'.repeat(64)}`,
  address: `0x${TOKEN}`,
  topics: [TRANSFER_TOPIC, `0x${'a'.padStart(64, '0')}`, `0x${'b'.padStart(64, '0')}`],
  data: `0x${'7'.padStart(64, '0')}`,
  blockNumber: '0x10',
  logIndex: '0x2',
  removed: false,
}

test('default: decodes one transfer and the blocks of the first and last row', () => {
  const { rows, ends } = bytesOf(reply([TRANSFER]))
  expect(rows).toEqual([
    [16, 2, TRANSFER.transactionHash, `0x${'a'.padStart(40, '0')}`, `0x${'b'.padStart(40, '0')}`, 7n, false],
  ])
  expect(ends).toEqual({
    first: { number: 16, hash: TRANSFER.blockHash },
    last: { number: 16, hash: TRANSFER.blockHash },
  })
})

test('behavior: the byte decoder, the JSON decoder and viem agree on logs of one layout', () => {
  fc.assert(
    fc.property(fc.array(log, { maxLength: 12 }), fc.constantFrom(undefined, 2), (logs, space) => {
      const fast = bytesOf(reply(logs, space))
      expect(fast.rows).toEqual(viemOf(logs))
      expect(jsonOf(logs)).toEqual(fast)
      const transfers = logs.filter(({ removed, topics }) => !removed && topics[0] === TRANSFER_TOPIC)
      expect(fast.skipped).toEqual({
        nft: transfers.filter(({ topics }) => topics.length === 4).length,
        unindexed: transfers.filter(({ topics }) => topics.length < 3).length,
      })
      expect(fast.ends).not.toBeNull()
    }),
  )
})

test('behavior: the decoders agree on any key order, extra keys, escapes and upper case', () => {
  fc.assert(
    fc.property(fc.array(shuffled, { maxLength: 8 }), (logs) => {
      const fast = bytesOf(reply(logs))
      const slow = jsonOf(logs)
      expect(slow.rows).toEqual(viemOf(logs))
      // An escaped key may make the byte decoder give up, never return other rows.
      if (fast.ends !== null) expect(fast).toEqual(slow)
      const plain = logs.map(({ 'extra"\\': _, ...rest }) => rest)
      expect(bytesOf(reply(plain))).toEqual(slow)
    }),
  )
})

test('behavior: accepts any order of top-level members and unknown ones', () => {
  const logs = fc.sample(log, { numRuns: 5, seed: 9 })
  const expected = jsonOf(logs)
  expect(bytesOf(JSON.stringify({ result: logs, extra: { a: [1, '}'] }, id: 1 }))).toEqual(expected)
  expect(bytesOf(` ${reply(logs, 1)}\n`)).toEqual(expected)
  expect(bytesOf(reply([])).ends).toEqual({ first: null, last: null })
})

test('behavior: decodes a reply with one changed byte as JSON.parse does, or gives up', () => {
  const logs = fc.sample(log, { numRuns: 4, seed: 11 })
  const text = reply(logs)
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: text.length - 1 }),
      fc.integer({ min: 0x20, max: 0x7e }),
      (at, code) => {
        const changed = text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1)
        const fast = bytesOf(changed)
        if (fast.ends === null) return
        let result: unknown
        try {
          result = (JSON.parse(changed) as { result: unknown }).result
        } catch {
          // Invalid JSON, but only inside a value that is skipped.
          expect(fast.rows).toEqual(bytesOf(text).rows)
          return
        }
        expect(fast).toEqual(jsonOf(result))
      },
    ),
  )
})

test('behavior: gives up on a truncated reply', () => {
  const text = reply(fc.sample(log, { numRuns: 3, seed: 5 }))
  for (let length = 0; length < text.length; length += 7)
    expect(bytesOf(text.slice(0, length)).ends).toBeNull()
})

test('behavior: decodes a reply in chunks of any size as it decodes the whole', () => {
  const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 30_000 })), {
    minLength: 1,
    maxLength: 30,
  })
  const some = fc.oneof(fc.array(log, { maxLength: 60 }), fc.array(shuffled, { maxLength: 8 }))
  fc.assert(
    fc.property(some, sizes, fc.constantFrom(undefined, 1), (logs, lengths, space) => {
      const text = reply(logs, space)
      const whole = bytesOf(text)
      const cut = rowsOf((builder) => {
        const stream = createLogStream(TOKEN, builder)
        // One buffer for all chunks: each overwrites the one before.
        const chunk = Buffer.alloc(30_000)
        for (let at = 0, i = 0; at < text.length; i++) {
          const size = chunk.write(text.slice(at, at + (lengths[i % lengths.length] ?? 1)), 'latin1')
          at += size
          stream.write(chunk.subarray(0, size))
        }
        return stream.end()
      })
      expect(cut).toEqual(whole)
    }),
  )
})

test('behavior: gives up on a word with other characters than hex digits', () => {
  const next = { ...TRANSFER, logIndex: '0x3' }
  for (const digits of ['\0'.repeat(8), '0000000g', '0x000000', '0000 000', '0000000\u00b3'])
    for (const member of ['data', 'transactionHash', 'blockHash'] as const) {
      const odd = { ...next, [member]: `0x${digits}${next[member].slice(10)}` }
      const text = `{"result":[${JSON.stringify(TRANSFER)},${JSON.stringify(odd).replaceAll('\\u0000', '\0')}]}`
      const { ends } = rowsOf((builder) => {
        const stream = createLogStream(TOKEN, builder)
        stream.write(Buffer.from(text, 'latin1'))
        return stream.end()
      })
      // A block hash of another form is as good as none.
      if (member !== 'blockHash') expect(ends).toBeNull()
      else expect(ends?.last ?? null).toBeNull()
    }
})

test('behavior: bytes of an earlier log do not complete one that is cut', () => {
  const logs = Array.from({ length: 400 }, (_, i) => ({
    ...TRANSFER,
    blockNumber: `0x${(1000 + i).toString(16)}`,
    data: `0x${(1000 + i).toString(16).padStart(64, '0')}`,
  }))
  const text = reply(logs)
  const expected = jsonOf(logs)
  for (let size = 20_000; size < 21_000; size += 7) {
    const cut = rowsOf((builder) => {
      const stream = createLogStream(TOKEN, builder)
      for (let at = 0; at < text.length; at += size) stream.write(Buffer.from(text.slice(at, at + size)))
      return stream.end()
    })
    expect(cut).toEqual(expected)
  }
})

test('behavior: gives up on endless bytes that never complete a log', () => {
  const stream = createLogStream(TOKEN, createColumnBuilder(createAddressTable(1)))
  const chunk = Buffer.from('{"result":[{"data":"'.padEnd(64 * 1024, 'a'))
  let chunks = 0
  while (stream.write(chunk)) chunks++
  expect(chunks).toBeLessThan(32)
  expect(stream.end()).toBeNull()
})

test('behavior: gives up on an error, a repeated result and logs of another token', () => {
  expect(bytesOf('{"error":{"code":1},"result":[]}').ends).toBeNull()
  expect(bytesOf('{"result":[],"result":[]}').ends).toBeNull()
  expect(bytesOf('{"resul\\u0074":[]}').ends).toBeNull()
  const foreign = { ...TRANSFER, address: `0x${'1'.repeat(40)}` }
  expect(bytesOf(reply([foreign])).ends).toBeNull()
  expect(() => jsonOf([foreign])).toThrow('another contract')
})

test('behavior: decodes repeated and strange members as JSON.parse does, or gives up', () => {
  const one = JSON.stringify(TRANSFER)
  const hash = `"blockHash":"${TRANSFER.blockHash}"`
  const hex = 'a'.repeat(64)
  // Logs by how they begin and how they go on, and the end of the reply.
  const replies: [first: string, second: string, end?: string][] = [
    [one, one.replace('0x2', '0x3')],
    [
      one.replace('"removed"', '"constructor":"0x7","removed"'),
      one.replace('"removed"', '"constructor":"0x7","removed"'),
    ],
    [one.replace(hash, `${hash},"blockHash":null`), one.replace(hash, `${hash},"blockHash":null`)],
    [
      one.replace('"logIndex"', '"logIndex":"0x9","logIndex"'),
      one.replace('"logIndex"', '"logIndex":"0x9","logIndex"'),
    ],
    [one.replace(hash, '"blockHash":"1"'), one.replace(hash, `"blockHash":"1"${hex}"`)],
    [one.replace('"data"', '"data":"","data"'), one.replace('"data"', `"data":"",${hex}","data"`)],
    [one, one.replace('0x2', '0x3'), ',"result":[0]'],
    [one, one.replace('0x2', '0x3'), ',"result":[1]'],
    [one, one.replace('0x2', '0x3'), String.raw`,"resul\u0074":[0]`],
  ]
  for (const [first, second, end = ''] of replies) {
    // Bytes follow the last log, as in a longer reply.
    const text = `{"result":[${first},${second}],"id":"${'1'.repeat(100)}"${end}}`
    const fast = bytesOf(text)
    if (fast.ends !== null) expect(fast).toEqual(jsonOf((JSON.parse(text) as { result: unknown }).result))
  }
  const [plain] = replies
  expect(bytesOf(`{"result":[${plain}]}`).rows).toHaveLength(2)
})

test('error: rejects a result that is not a list of logs', () => {
  for (const result of [null, {}, 'x', [null], [1], [{}], [[]]])
    expect(() => jsonOf(result)).toThrow('eth_getLogs returned')
})

test('error: rejects members that have no text', () => {
  const odd = { toString: 1, valueOf: 1 }
  const { topics } = TRANSFER
  for (const change of [{ address: odd }, { topics: [odd, ...topics.slice(1)] }, { blockHash: odd }])
    expect(() => jsonOf([{ ...TRANSFER, ...change }])).not.toThrow(TypeError)
})
