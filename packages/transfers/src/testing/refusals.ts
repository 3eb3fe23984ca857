import type { Refuse } from './quirkyRpc.ts'

const hex = (value: number) => `0x${value.toString(16)}`

/** Refusals of a query that spans too many blocks. */
export const BLOCK_REFUSALS: Readonly<Record<string, Refuse>> = {
  'up to a N block range': ({ cap }) => ({
    code: -32600,
    message: `You can make eth_getLogs requests with up to a ${cap} block range`,
  }),
  'limited to a N range, 413': ({ cap }) => ({
    status: 413,
    code: -32614,
    message: `eth_getLogs is limited to a ${cap.toLocaleString('en')} range`,
  }),
  'block range too large': () => ({ code: -32000, message: 'block range too large' }),
  'at most N blocks': ({ cap }) => ({
    code: -32000,
    message: `please limit the query to at most ${cap.toLocaleString('en')} blocks`,
  }),
  'maximum block range: N': ({ cap }) => ({ code: -32000, message: `maximum block range: ${cap}` }),
}

/** Refusals of a query that returns too many logs. */
export const RESULT_REFUSALS: Readonly<Record<string, Refuse>> = {
  'this block range should work': ({ fits }) => ({
    code: -32602,
    message: `Log response size exceeded. this block range should work: [${hex(fits.from)}, ${hex(fits.to)}]`,
  }),
  'more than N results, try': ({ cap, fits }) => ({
    code: -32005,
    message: `query returned more than ${cap} results. Try with this block range [${hex(fits.from)}, ${hex(fits.to)}].`,
  }),
  'exceeds max results, retry': ({ cap, fits }) => ({
    code: -32602,
    message: `query exceeds max results ${cap}, retry with the range ${fits.from}-${fits.to}`,
  }),
  'suggests the same range': ({ cap, range }) => ({
    code: -32602,
    message: `query exceeds max results ${cap}, retry with the range ${range.from}-${range.to}`,
  }),
  'suggests an inverted range': ({ range }) => ({
    code: -32602,
    message: `Log response size exceeded. this block range should work: [${hex(range.to)}, ${hex(range.from)}]`,
  }),
  'response too big': () => ({ code: -32008, message: 'Response is too big' }),
}

const html = (status: number, title: string) => () => ({
  status,
  body: `<html><head><title>${status} ${title}</title></head><body><center>nginx</center></body></html>`,
})
const fault = (code: number, message: string, rest: { status?: number; data?: unknown } = {}) => ({
  code,
  message,
  ...rest,
})

/**
 * How providers and clients refuse a range that is too wide or takes too long, by their names. Some state a wrong limit,
 * or none.
 */
export const RANGE_REFUSALS: Readonly<Record<string, Refuse>> = {
  Infura: ({ range, cap }) => fault(-32602, `range ${range.to - range.from + 1} exceeds limit of ${cap}`),
  'Infura, data of an object': ({ fits }) =>
    fault(-32005, 'query returned more than 10000 results', {
      data: { from: hex(fits.from), limit: 10_000, to: hex(fits.to) },
    }),
  'Infura, duration': () => fault(-32005, 'query timeout exceeded'),
  Ankr: ({ cap }) => fault(-32602, `maximum [from, to] blocks distance: ${cap}`),
  'Ankr, without a number': () => fault(-32600, 'block range is too wide'),
  'Tenderly, data of an object': ({ cap }) =>
    fault(-32602, 'invalid params', { data: { slug: 'invalid_range', message: `at most ${cap} blocks` } }),
  'Tenderly, unknown data': () => fault(-32603, 'internal', { data: { id: 'a2f1', trace: null, slug: 7 } }),
  '1RPC': ({ cap }) => fault(-32602, `eth_getLogs is limited to 0 - ${cap} blocks range`),
  '1RPC, size': () => fault(-32000, 'response size should not greater than 10000000 bytes'),
  'Alchemy, free': ({ cap, fits }) =>
    fault(
      -32600,
      `Under the Free tier plan, you can make eth_getLogs requests with up to a ${cap} block range. Based on your parameters, this block range should work: [${hex(fits.from)}, ${hex(fits.to)}].`,
      { status: 400 },
    ),
  Alchemy: ({ fits }) =>
    fault(
      -32602,
      `Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: [${hex(fits.from)}, ${hex(fits.to)}]`,
    ),
  QuickNode: ({ cap }) => fault(-32614, `eth_getLogs is limited to a ${cap} range`, { status: 413 }),
  Blast: ({ range, cap }) =>
    fault(-32600, `exceeds the range allowed for your plan (${range.to - range.from + 1} > ${cap})`),
  BlockPI: ({ cap }) =>
    fault(-32602, `eth_getLogs is limited to ${cap} block range. Please check the parameter requirements`),
  'dRPC, wrong limit': () =>
    fault(35, 'ranges over 10000 blocks are not supported on free plan', { status: 400 }),
  'dRPC, HTTP 408': () =>
    fault(30, 'Request timeout on the free plan, please upgrade to paid plan', { status: 408 }),
  Chainstack: () => fault(-32000, 'Block range limit exceeded. See more details in the docs.'),
  'PublicNode, wrong limit': () => fault(-32701, 'exceed maximum block range: 50000'),
  Cloudflare: ({ cap }) =>
    fault(-32047, `Invalid eth_getLogs request. 'fromBlock'-'toBlock' range too large. Max range: ${cap}`),
  'Cloudflare, without a reason': () => fault(-32046, 'Cannot fulfill request'),
  LlamaNodes: () => fault(-32602, 'query exceeds max results 20000'),
  Nodies: ({ cap }) => fault(-32001, `Block range too large: maximum allowed is ${cap} blocks`),
  'GetBlock, error of text': () => ({ status: 400, body: { id: 1, error: 'the request is too heavy' } }),
  'Moralis, no JSON-RPC': () => ({ status: 400, body: { statusCode: 400, message: 'Bad Request' } }),
  'Coinbase CDP': ({ cap }) => fault(-32000, `please limit the query to at most ${cap} blocks`),
  'base.org': () => fault(-32011, 'no backend is currently healthy to serve traffic', { status: 503 }),
  'base.org, size': () => fault(-32020, 'backend response too large', { status: 500 }),
  thirdweb: ({ cap }) =>
    fault(-32005, `Log response size exceeded. Maximum allowed number of requested blocks is ${cap}`),
  BSC: () => fault(-32005, 'limit exceeded'),
  Avalanche: ({ range, cap }) =>
    fault(-32000, `requested too many blocks from ${range.from} to ${range.to}, maximum is set to ${cap}`),
  Moonbeam: ({ cap }) => fault(-32603, `block range is too wide (maximum ${cap})`),
  geth: () => fault(-32002, 'request timed out'),
  'geth, size': () => fault(-32003, 'response too large'),
  erigon: ({ cap }) => fault(-32000, `query block range exceeds server limit, narrow your filter: ${cap}`),
  reth: ({ cap }) => fault(-32602, `query exceeds max block range ${cap}`),
  nethermind: () => fault(-32016, 'eth_getLogs request was canceled due to enabled timeout.'),
  besu: () => fault(-32000, 'Requested range exceeds maximum RPC range limit'),
  'data of text': () => fault(-32000, 'Server error', { data: 'narrow it' }),
  'an internal error': () => fault(-32603, 'Internal error'),
  'no words': () => ({ body: { jsonrpc: '2.0', id: 1, error: {} } }),
  'words that mean nothing': () => fault(-39_321, 'Dreams of a blue horizon'),
  'HTML of 400': html(400, 'Bad Request'),
  'HTML of 413': html(413, 'Request Entity Too Large'),
  'HTML of 504': html(504, 'Gateway Time-out'),
  'HTML of 524': html(524, 'A timeout occurred'),
  'no answer': () => 'hang',
}

/** Refusals that smaller ranges do not avoid, though they answer wide ones as well. */
export const OTHER_REFUSALS: Readonly<Record<string, Refuse>> = {
  'HTTP 401': () => fault(-32000, 'Unauthorized: You must authenticate', { status: 401 }),
  'HTTP 402': () => ({ status: 402, body: 'Payment Required' }),
  'HTTP 403': html(403, 'Forbidden'),
  'HTTP 429': html(429, 'Too Many Requests'),
  'compute units, 429 in 200': () =>
    fault(429, 'Your app has exceeded its compute units per second capacity'),
  'credits of a second': () => fault(-32012, 'credits limited to 6000/sec'),
  'quota of a day': () => fault(-32005, 'daily request count exceeded, request rate limited'),
  'a rate limit in -32000': () => fault(-32000, 'rate limit exceeded'),
  'a personal token': () => fault(-32602, 'Archive requests require a personal token'),
  'a method that is not served': () => fault(-32601, 'the method eth_getLogs is not available'),
}
