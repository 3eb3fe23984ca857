import { processorMs } from '@touchstone402/shared/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseRefusal } from './refusal.ts'

const parse = (message: string, code: number | null = -32602, status = 200) =>
  parseRefusal({ status, code, message, data: [], waitMs: 0 })

describe('parseRefusal', () => {
  test('default: reads the cap and the suggested range', () => {
    expect(
      parse(
        'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: [0x10, 0x1f]',
      ),
    ).toEqual({ kind: 'results', max: 10_000, suggested: { from: 16, to: 31 } })
  })

  test.each([
    ['Log response size exceeded. this block range should work: [0x10, 0x1f]', -32602, 200, null, [16, 31]],
    [
      'query returned more than 10000 results. Try with this block range [0x64, 0xC8].',
      -32005,
      200,
      10000,
      [100, 200],
    ],
    ['query returned more than 10000 results', -32005, 200, 10000, null],
    ['query exceeds max results 20000, retry with the range 8000-8100', -32602, 200, 20000, [8000, 8100]],
    ['Response is too big', -32008, 200, null, null],
    ['logs matched by query exceeds limit of 10000', -32005, 200, 10000, null],
  ] as const)('behavior: classifies as too many results: %s', (message, code, status, max, suggested) => {
    const range = suggested === null ? null : { from: suggested[0], to: suggested[1] }
    expect(parse(message, code, status)).toEqual({ kind: 'results', max, suggested: range })
  })

  test.each([
    ['You can make eth_getLogs requests with up to a 500 block range', -32600, 200, 500],
    ['eth_getLogs is limited to a 10,000 range', -32614, 413, 10000],
    ['eth_getLogs and eth_newFilter are limited to a 10,000 blocks range', -32614, 413, 10000],
    ['block range too large', -32000, 200, null],
    ['please limit the query to at most 1,000 blocks', -32000, 200, 1000],
    ['maximum block range: 2048', -32000, 200, 2048],
    ['exceed maximum block range: 5000', -32000, 200, 5000],
    ['range is too large, max is 1k blocks', -32000, 200, 1000],
    ['eth_getLogs block range too large, range: 20000, max: 10000', -32000, 200, 10000],
    ['Requested range 400 exceeds maximum RPC range limit 200', -32000, 200, 200],
    ['ranges over 10000 blocks are not supported on freetier', -32000, 200, 10000],
  ] as const)('behavior: classifies as too many blocks: %s', (message, code, status, max) => {
    expect(parse(message, code, status)).toMatchObject({ kind: 'blocks', max })
  })

  test.each([
    ['no backend is currently healthy to serve traffic', -32011, 503, 'down'],
    ['HTTP 502', null, 502, 'down'],
    ['Too Many Requests', null, 429, 'busy'],
    ['daily request count exceeded, request rate limited', -32005, 200, 'busy'],
    ['block range extends beyond current head block', -32602, 200, 'behind'],
    ['header not found', -32000, 200, 'behind'],
    ['Archive requests require a personal token', -32602, 200, 'denied'],
    ['HTTP 403', null, 403, 'denied'],
    ['the method eth_getLogs does not exist', -32601, 200, 'denied'],
    ['credits limited to 6000/sec', -32012, 200, 'busy'],
    ['limit exceeded', -32005, 200, 'down'],
  ] as const)('behavior: does not classify as a size limit: %s', (message, code, status, kind) => {
    expect(parse(message, code, status).kind).toBe(kind)
  })

  test.each([
    ['Query timeout exceeded. Consider reducing your block range.', -32000, 200],
    ['Request timeout on the free plan, please upgrade to paid plan', 30, 408],
    ['HTTP 524', null, 524],
    ['invalid argument 0: hex string', -32602, 200],
    ['Dreams of a blue horizon', -39_321, 200],
    ['HTTP 400', null, 400],
    ['', null, 200],
  ] as const)('behavior: takes for unclear, which a smaller range may avoid: %s', (message, code, status) => {
    expect(parse(message, code, status).kind).toBe('unclear')
  })

  test('behavior: classifies any text, in bounded time', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 1000 }), (message) => {
        expect(parse(message).kind).toBeTypeOf('string')
      }),
    )
    const took = processorMs(() => {
      for (const part of ['range max ', '1,000,', '[0x', 'limit of ', '   '])
        parse(part.repeat(1000).slice(0, 1000))
    })
    expect(took).toBeLessThan(2_000)
  })
})
